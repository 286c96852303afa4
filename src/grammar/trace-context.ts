/**
 * W3C Trace Context in flat lists of header names and values: the trace of a request continues in
 * everything that follows from it (ADR 44). Pure.
 */

const traceparentGrammar = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeros = /^0+$/;
/** Printable ASCII; the entries of the list are not checked further, as they are only passed on. */
const stateGrammar = /^[\x20-\x7e]+$/;
const stateEntriesMax = 32;
const stateCharactersMax = 512;

/** The sampled flag and the random-trace-id flag: other flags of version 00 are not passed on. */
const knownFlags = 0b11;

/** The trace in a `traceparent`. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span that sent it, 16 hexadecimal digits. */
  readonly parentId: string;
  readonly flags: number;
}

/** The flag that says that the trace is recorded. */
export const sampledFlag = 1;

/** Parses a `traceparent`; null if it names no trace. Ignores what later versions add. */
export function parseTraceparent(text: string): Trace | null {
  const [, version = 'ff', traceId = '0', parentId = '0', flags = '', more] =
    traceparentGrammar.exec(text) ?? [];
  const isKnown = version === '00' ? more === undefined : version !== 'ff';
  if (!isKnown || zeros.test(traceId) || zeros.test(parentId)) return null;
  return { traceId, parentId, flags: Number.parseInt(flags, 16) & knownFlags };
}

/** `traceparent` and `tracestate` of a request; empty if it has no valid trace. */
export function traceHeaders(pairs: readonly string[]): readonly string[] {
  const parents: string[] = [];
  const states: string[] = [];
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const name = pairs[index] ?? '';
    if (isTraceparent(name)) parents.push((pairs[index + 1] ?? '').trim());
    else if (isTracestate(name)) states.push(pairs[index + 1] ?? '');
  }
  const [parent = ''] = parents;
  if (parents.length !== 1 || parseTraceparent(parent) === null) return none;
  const state = boundedState(states.join(','));
  return state === '' ? ['traceparent', parent] : ['traceparent', parent, 'tracestate', state];
}

/** The trace in headers; null = there is none. */
export function traceIn(pairs: readonly string[]): Trace | null {
  const [, parent = ''] = traceHeaders(pairs);
  return parseTraceparent(parent);
}

/** The headers with a `traceparent` of this trace, marked as recorded, and this span. */
export function sentBy(
  pairs: readonly string[],
  { traceId, spanId }: { readonly traceId: string; readonly spanId: string },
): readonly string[] {
  const value = `00-${traceId}-${spanId}-01`;
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    if (isTraceparent(pairs[index] ?? '')) return pairs.with(index + 1, value);
  }
  return [...pairs, 'traceparent', value];
}

/** The headers without trace headers. */
export function withoutTrace(pairs: readonly string[]): readonly string[] {
  const others: string[] = [];
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const name = pairs[index] ?? '';
    if (!isTraceparent(name) && !isTracestate(name)) others.push(name, pairs[index + 1] ?? '');
  }
  return others.length === pairs.length ? pairs : others;
}

/** The `traceparent` that the span `spanId` forwards; the same text if it names no trace. */
export function sentOn(traceparent: string, spanId: string): string {
  const trace = parseTraceparent(traceparent);
  if (trace === null) return traceparent;
  const flags = trace.flags.toString(16).padStart(2, '0');
  return `00-${trace.traceId}-${spanId}-${flags}`;
}

const none: readonly string[] = [];

/** Compares the length first: every header of every publish is checked here. */
function isTraceparent(name: string): boolean {
  return name.length === 11 && name.toLowerCase() === 'traceparent';
}

function isTracestate(name: string): boolean {
  return name.length === 10 && name.toLowerCase() === 'tracestate';
}

/** Keeps what every system must pass on; entries at the end, the oldest, are dropped first. */
function boundedState(list: string): string {
  const entries = list.split(',', stateEntriesMax).map((entry) => entry.trim());
  let state = '';
  for (const entry of entries) {
    if (entry === '') continue;
    const longer = state === '' ? entry : `${state},${entry}`;
    if (longer.length > stateCharactersMax) break;
    state = longer;
  }
  return stateGrammar.test(state) ? state : '';
}
