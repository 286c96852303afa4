/** The one source of time in the console: the hour, ticks that pages share, and delays. */
import { useSyncExternalStore } from 'react';

/** By how much the server's clock is ahead of the browser's, as its last answer said. */
let msAhead = 0;

/** The time of the server, Unix milliseconds: that of `stepwell dev` may be moved. */
export function now(): number {
  return Date.now() + msAhead;
}

/** A date in a header has whole seconds. */
const distanceMs = 2000;

/**
 * Call it when a request is sent, and what it returns with the `Date` of the answer. Where that was
 * made in between, as far as a header can show it, both clocks are taken for one.
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
