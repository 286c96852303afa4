/**
 * Since the first use of an `AsyncLocalStorage` Node.js 20 calls hooks for every promise of its
 * thread, and what awaits much takes a quarter to a half longer. Playwright uses one: the files of
 * a process that come after those of the browser are not to pay for it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const used = new Set<AsyncLocalStorage<unknown>>();

/** Remembers the storages of this process that are used from now on. */
export function watchStorages(): void {
  const { prototype } = AsyncLocalStorage;
  for (const name of ['run', 'enterWith'] as const) {
    const method = prototype[name];
    const watched = function (this: AsyncLocalStorage<unknown>, ...given: unknown[]): unknown {
      used.add(this);
      return Reflect.apply(method, this, given);
    };
    Object.assign(prototype, { [name]: watched });
  }
}

/** A file of tests is over: what it used is idle, until it is used again. */
export function endStorages(): void {
  for (const storage of used) storage.disable();
  used.clear();
}
