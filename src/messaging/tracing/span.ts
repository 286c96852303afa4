/** The elements of a trace, and their receiver; none of this is in the journal. */
import { createHash } from 'node:crypto';

/** A period in which something was done. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** The parent span; null = this is the first span of its trace. */
  readonly parentId: string | null;
  readonly name: string;
  readonly kind: 'internal' | 'client' | 'producer';
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Why it failed; null = it did not fail. */
  readonly error: string | null;
}

/** Takes spans and never waits: spans beyond its capacity are dropped and counted. */
export interface Tracer {
  /** Whether a trace is recorded. `flags` are those it came with; null = the trace began here. */
  samples(traceId: string, flags: number | null): boolean;
  add(span: Span): void;
  /** Counts a span that could not be made for lack of room. */
  drop(): void;
}

/** Records nothing: without a collector. */
export const noTracer: Tracer = {
  samples: () => false,
  add: () => undefined,
  drop: () => undefined,
};

/** The place of a span in a trace. */
export interface TracePlace {
  readonly traceId: string;
  /** null = the span is the first of its trace. */
  readonly parentId: string | null;
  /** The flags of a trace that a request brought; null = the trace began here. */
  readonly flags: number | null;
}

const spanDigits = 16;
const traceDigits = 32;

/**
 * The span id of an attempt. It is the same if a crash repeats the attempt, so that a collector
 * recognises it.
 */
export const attemptSpanId = (messageId: string, attempt: number) =>
  digest(`${messageId}/${attempt}`, spanDigits);

/** The span id of the publish of a message, which is always the same. */
export const publishSpanId = (messageId: string) => digest(`publish/${messageId}`, spanDigits);

/** The span id of a run. `startedOffset` is that of its `RunStarted`, as run names may recur. */
export const runSpanId = (runId: string, startedOffset: number) =>
  digest(`run/${runId}/${startedOffset}`, spanDigits);

/** The span id of another part of a message or a run: the same event has the same span. */
export const partSpanId = (part: string, offset: number) => digest(`${part}/${offset}`, spanDigits);

/** The trace id of what arrived without a trace; derived, so that it need not be stored. */
export const ownTraceId = (of: string) => digest(`trace/${of}`, traceDigits);

function digest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
