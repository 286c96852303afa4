/** A flow-control key on the wire (messaging.md 8). Pure. */
import type { FlowControl } from './flow-control.state.js';
import type { Traffic } from './flow-control-gate.js';
import { isOver } from './rate-window.js';

/**
 * Every field is always there: clients read them unconditionally. No limit is 0. How much of the
 * limits is taken is not in the journal: null in a record as it was (ADR 47).
 */
export interface FlowControlRecord {
  readonly flowControlKey: string;
  /** Messages that wait for this key's limits. */
  readonly waitListSize: number | null;
  readonly parallelismMax: number;
  readonly parallelismCount: number | null;
  readonly rateMax: number;
  readonly rateCount: number | null;
  /** Seconds. */
  readonly ratePeriod: number;
  /** When the open window began, Unix seconds; 0 where none is open. */
  readonly ratePeriodStart: number;
  readonly isPaused: boolean;
  readonly isPinnedParallelism: boolean;
  readonly isPinnedRate: boolean;
}

/** `traffic` null = not known, as of a moment in the past; `at` is Unix milliseconds. */
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
