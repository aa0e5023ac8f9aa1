import { token } from '@bellhop/kernel';
import type { Reaper } from './reaper.js';

/** The reaper of this kernel: for its counters, and to tick by hand. */
export const REAPER = token<Reaper>('REAPER');
