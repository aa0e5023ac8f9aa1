/**
 * tsyringe's decorators, from the kernel's own copy and after reflect-metadata is loaded: a plugin that imports them from here needs
 * neither package, and cannot get the order of imports wrong.
 */
import 'reflect-metadata';

export { inject, injectAll, injectable } from 'tsyringe';
