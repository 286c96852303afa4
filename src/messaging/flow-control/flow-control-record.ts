/** A flow-control key on the wire (messaging.md 8). Pure. */
import type { FlowControl } from './flow-control.state.js';
import type { Traffic } from './flow-control-gate.js';
import { isOver } from './rate-window.js';

/**
 * Every field is always present, because clients read them unconditionally. A limit that is not set
 * is shown as 0. How much of a limit is in use is not in the journal, so it is null in a record of
 * the past (ADR 47).
 */
export interface FlowControlRecord {
  readonly flowControlKey: string;
  /** Messages that wait for the limits of this key. */
  readonly waitListSize: number | null;
  readonly parallelismMax: number;
  readonly parallelismCount: number | null;
  readonly rateMax: number;
  readonly rateCount: number | null;
  /** Seconds. */
  readonly ratePeriod: number;
  /** When the current window began, Unix seconds; 0 if none is open. */
  readonly ratePeriodStart: number;
  readonly isPaused: boolean;
  readonly isPinnedParallelism: boolean;
  readonly isPinnedRate: boolean;
}

/** The record of a key at `at`, Unix milliseconds. `traffic` null = unknown, as for the past. */
export function flowControlRecord(
  key: string,
  control: FlowControl,
  traffic: Traffic | null,
  at: number,
): FlowControlRecord {
  const { window, periodSeconds, isPaused, isPinnedParallelism, isPinnedRate } = control;
  const isOpen = !isOver(window, periodSeconds, at);
  return {
    flowControlKey: key,
    waitListSize: traffic?.waiting ?? null,
    parallelismMax: control.parallelism ?? 0,
    parallelismCount: traffic?.running ?? null,
    rateMax: control.rate ?? 0,
    rateCount: traffic?.spent ?? null,
    ratePeriod: periodSeconds,
    ratePeriodStart: isOpen ? Math.floor(window.startedAt / 1000) : 0,
    isPaused,
    isPinnedParallelism,
    isPinnedRate,
  };
}
