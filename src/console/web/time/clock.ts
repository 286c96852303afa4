/** The one source of time in the console: the hour, ticks that pages share, and delays. */
import { useSyncExternalStore } from 'react';

/** Unix milliseconds. */
export function now(): number {
  return Date.now();
}

/** Calls `work` once after `ms`; returns what cancels it. */
export function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

const tickMs = 1000;
const listeners = new Set<() => void>();
let ticked = now();
let cancel: (() => void) | null = null;

function tick(): void {
  ticked = now();
  for (const listener of listeners) listener();
  cancel = after(tickMs, tick);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    ticked = now();
    cancel = after(tickMs, tick);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) cancel?.();
  };
}

/** The time now, Unix milliseconds; the component is drawn again each second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => ticked);
}
