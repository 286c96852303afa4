/** What a trace is made of, and where it goes; nothing of it is in the journal. */
import { createHash } from 'node:crypto';

/** A stretch of time in which something was done. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** The span that it is a part of; null = it is the first of its trace. */
  readonly parentId: string | null;
  readonly name: string;
  readonly kind: 'internal' | 'client' | 'producer';
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Why it has failed; null = it has not. */
  readonly error: string | null;
}

/** Takes spans, and never waits: what it has no room for is dropped, and counted. */
export interface Tracer {
  /** Whether a trace is recorded; `flags` are those that it came with, null = it is ours. */
  samples(traceId: string, flags: number | null): boolean;
  add(span: Span): void;
  /** A span could not be made for want of room. */
  drop(): void;
}

/** Where a span belongs. */
export interface TracePlace {
  readonly traceId: string;
  /** null = it is the first of its trace. */
  readonly parentId: string | null;
  /** Of the trace that a request has brought; null = the trace began here. */
  readonly flags: number | null;
}

const spanDigits = 16;
const traceDigits = 32;

/** Of an attempt; the same again if a crash repeats it, so that a collector recognises it. */
export const attemptSpanId = (messageId: string, attempt: number) =>
  digest(`${messageId}/${attempt}`, spanDigits);

/** The id of the span of a message's publish: the same whenever it is asked for. */
export const publishSpanId = (messageId: string) => digest(`publish/${messageId}`, spanDigits);

/** Of a run; `startedOffset` is that of its `RunStarted`, as names of runs may come again. */
export const runSpanId = (runId: string, startedOffset: number) =>
  digest(`run/${runId}/${startedOffset}`, spanDigits);

/** Of what else belongs to a message or a run: the same event has the same span. */
export const partSpanId = (part: string, offset: number) => digest(`${part}/${offset}`, spanDigits);

/** Of what has come without a trace: nothing has to be stored to find it again. */
export const ownTraceId = (of: string) => digest(`trace/${of}`, traceDigits);

function digest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
