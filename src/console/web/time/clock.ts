/** The only source of time in the console: the present time, ticks that pages share, and delays. */
import { useSyncExternalStore } from 'react';

/** How far the server's clock is ahead of the browser's, by its last answer. */
let msAhead = 0;

/** The time of the server in Unix ms: that of `stepwell dev` can be moved. */
export function now(): number {
  return Date.now() + msAhead;
}

/** Dates in headers have a resolution of one second, so smaller differences are ignored. */
const distanceMs = 2000;

/**
 * Call it when a request is sent, and the returned function with the `Date` of the answer. If that
 * date lies between the two, as far as a header can show it, the clocks count as equal.
 */
export function requestTime(): (date: string | null) => void {
  const sentAt = Date.now();
  return (date) => {
    const at = Date.parse(date ?? '');
    const ahead = at - Date.now();
    const behind = sentAt - at;
    msAhead = 0;
    if (ahead > distanceMs) msAhead = ahead;
    else if (behind > distanceMs) msAhead = -behind;
  };
}

/** Calls `work` once after `ms`; returns a function that cancels it. */
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

/** The present time in Unix ms; the component is rendered again each second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => ticked);
}
