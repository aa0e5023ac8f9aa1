import { token } from '@bellhop/kernel';

/** A held lock. */
export interface DispatchLockHandle {
  /** @returns false when the lock was lost. */
  renew(ttlMs: number): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * A lock service of the deployment's, for dispatchers that are to walk partitions exclusively. Optional: claim tokens make claims exclusive,
 * a lock only spares nodes from asking at once.
 */
export interface DispatchLock {
  /** Does not wait: null when somebody else holds the key. */
  acquire(key: string, ttlMs: number): Promise<DispatchLockHandle | null>;
}

export const DISPATCH_LOCK = token<DispatchLock>('DISPATCH_LOCK');
