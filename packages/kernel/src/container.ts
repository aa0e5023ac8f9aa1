/**
 * The container of one kernel, over a tsyringe child container of its own. What tsyringe lacks is kept here: who bound a token, that the
 * deployment's binding wins, that a token is bound once, and that nothing is ever found in tsyringe's global container, where two
 * kernels of one process would meet.
 */
import 'reflect-metadata';
import { type DependencyContainer, container as globalContainer, injectable } from 'tsyringe';
import { BellhopError } from './errors.js';
import { type Class, type InjectedParameter, injectedParameters } from './injected-parameters.js';
import { type Token, tokenName } from './token.js';

/** Who bound a token, as messages say it. Plugins are `plugin "name"`. */
export type Owner = string;
export const DEPLOYMENT: Owner = 'the deployment (kernel.bind)';
export const KERNEL: Owner = 'the kernel';

interface Binding {
  readonly owner: Owner;
  readonly read: () => unknown;
}

export class KernelContainer {
  private readonly single = new Map<symbol, Binding>();
  private readonly multi = new Map<symbol, Binding[]>();
  private readonly withdrawnBy = new Map<symbol, Owner>();
  private readonly closed = new Map<Owner, string>();
  private readonly making: symbol[] = [];
  private readonly tsyringe: DependencyContainer = globalContainer.createChildContainer();
  private sealed: string | undefined;

  /** Binds one value; see `Container.bind`. The deployment's replaces the kernel's own defaults. */
  bind(owner: Owner, token: symbol, read: () => unknown): boolean {
    this.refuseClosed(owner, token);
    const bound = this.single.get(token);
    if (bound?.owner === DEPLOYMENT && owner !== DEPLOYMENT) return false;
    if (bound && !(bound.owner === KERNEL && owner === DEPLOYMENT)) throw boundError(token, bound.owner, owner);
    const many = this.multi.get(token)?.[0];
    if (many) throw boundError(token, `${many.owner}, as one of many`, owner);
    this.single.set(token, { owner, read });
    this.register();
    return true;
  }

  /** Adds one of many; see `Container.add`. */
  add(owner: Owner, token: symbol, value: unknown): void {
    this.refuseClosed(owner, token);
    const bound = this.single.get(token);
    if (bound) throw boundError(token, `${bound.owner}, as a single value`, owner);
    this.multi.set(token, [...(this.multi.get(token) ?? []), { owner, read: () => value }]);
    this.register();
  }

  resolve<T>(token: Token<T>): T {
    this.refuseUnbound(token);
    return this.tsyringe.resolve<T>(token as symbol);
  }

  resolveAll<T>(token: Token<T>): T[] {
    return this.isBound(token) ? this.tsyringe.resolveAll<T>(token as symbol) : [];
  }

  isBound(token: symbol): boolean {
    return this.single.has(token) || this.multi.has(token);
  }

  construct<T>(type: new (...args: never[]) => T): T {
    this.checkClass(type as unknown as Class, []);
    return this.tsyringe.resolve(type as unknown as new (...args: unknown[]) => T);
  }

  /** Makes `make` run on first resolve only. What it returns is kept, also when that is null, false or a promise. */
  once<T>(token: symbol, make: () => T): () => T {
    let made: { readonly value: T } | undefined;
    return () => {
      if (made) return made.value;
      if (this.making.includes(token)) {
        const circle = [...this.making.slice(this.making.indexOf(token)), token].map(tokenName).join(' → ');
        throw new BellhopError('PLUGIN_CYCLE', `Factories resolve one another in a circle: ${circle}. Resolve one of them later, on use.`);
      }
      this.making.push(token);
      try {
        made = { value: make() };
        return made.value;
      } finally {
        this.making.pop();
      }
    };
  }

  /** From here on nothing can be bound, so that every resolve of a token gives the same answer. */
  seal(why: string): void {
    this.sealed = why;
  }

  /** Takes back everything a plugin bound, and refuses what a step of it that is still running may bind yet. */
  withdraw(owner: Owner, why: string): void {
    this.closed.set(owner, why);
    for (const [token, binding] of this.single) {
      if (binding.owner !== owner) continue;
      this.single.delete(token);
      this.withdrawnBy.set(token, owner);
    }
    for (const [token, bindings] of this.multi) {
      const kept = bindings.filter((binding) => binding.owner !== owner);
      if (kept.length > 0) this.multi.set(token, kept);
      else this.multi.delete(token);
    }
    this.register();
  }

  /** tsyringe can forget only everything at once, so the registry is written anew; made values live in their binding and survive. */
  private register(): void {
    this.tsyringe.reset();
    const bindings = [...this.single].map(([token, binding]) => [token, [binding]] as const);
    for (const [token, all] of [...bindings, ...this.multi]) {
      for (const { read } of all) this.tsyringe.register(token, { useFactory: read });
    }
  }

  private checkClass(type: Class, path: readonly Class[]): void {
    if (path.includes(type)) {
      const circle = [...path.slice(path.indexOf(type)), type].map(({ name }) => name).join(' → ');
      throw new BellhopError(
        'PLUGIN_CYCLE',
        `Classes inject one another in a circle: ${circle}. Let one of them resolve the other on use.`,
      );
    }
    if (globalContainer.isRegistered(type)) {
      throw new BellhopError(
        'INVALID_INPUT',
        `${type.name} is registered in tsyringe's global container (@singleton, @scoped or @registry), which all kernels would share. Use @injectable() and bind it in a plugin.`,
      );
    }
    for (const parameter of injectedParameters(type)) {
      if (typeof parameter.token === 'function') this.checkClass(parameter.token, [...path, type]);
      else this.checkToken(type, parameter.token, parameter);
    }
    // What @injectable() does: the tokens alone say all that tsyringe needs to know of the class.
    injectable()(type);
  }

  private checkToken(type: Class, token: symbol, { position, multiple, optional }: InjectedParameter): void {
    const where = `${type.name}, constructor parameter #${position + 1}`;
    if (multiple ? this.isBound(token) : this.single.has(token)) return;
    if (optional && !this.isBound(token) && !globalContainer.isRegistered(token)) return;
    if (multiple) {
      throw new BellhopError(
        'TOKEN_UNBOUND',
        `${where}: nothing was added to ${tokenName(token)}. @injectAll(TOKEN, { isOptional: true }) allows none.`,
      );
    }
    this.refuseUnbound(token, `${where}: `);
  }

  private refuseUnbound(token: symbol, where = ''): void {
    if (this.single.has(token)) return;
    const name = tokenName(token);
    if (this.multi.has(token)) {
      throw new BellhopError('TOKEN_UNBOUND', `${where}${name} holds many values: use resolveAll(${name}) or @injectAll(${name}).`);
    }
    const withdrawnBy = this.withdrawnBy.get(token);
    const why = withdrawnBy
      ? `${withdrawnBy} bound it, and failed: see kernel.health().`
      : this.sealed
        ? `Load the plugin that binds it, or bind it with kernel.bind(${name}, …) before start.`
        : 'Plugins bind in init, so resolve from start on; what a plugin needs in its own init must be bound by one it requires.';
    throw new BellhopError('TOKEN_UNBOUND', `${where}Nothing is bound to ${name}. ${why}`);
  }

  private refuseClosed(owner: Owner, token: symbol): void {
    const why = this.closed.get(owner) ?? this.sealed;
    if (why !== undefined) throw new BellhopError('KERNEL_STATE', `${owner} cannot bind ${tokenName(token)}: ${why}`);
  }
}

function boundError(token: symbol, by: Owner, again: Owner): BellhopError {
  return new BellhopError(
    'TOKEN_BOUND',
    `${again} cannot bind ${tokenName(token)}: it was bound by ${by}. A deployment chooses with kernel.bind; many values go through container.add.`,
  );
}
