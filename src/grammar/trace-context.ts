/**
 * W3C Trace Context in headers, names and values in turn: what a request brings goes on with what
 * follows from it (ADR 44). Pure.
 */

const traceparentGrammar = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeros = /^0+$/;
/** Letters, digits and signs; the list of entries is not judged further: it is passed on. */
const stateGrammar = /^[\x20-\x7e]+$/;
const stateEntriesMax = 32;
const stateCharactersMax = 512;

/** The sampled flag and that of a random id: what else version 00 may have is not passed on. */
const knownFlags = 0b11;

/** The trace that a `traceparent` names. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span that has sent it, 16 hexadecimal digits. */
  readonly parentId: string;
  readonly flags: number;
}

/** Of the flags: what belongs to the trace is recorded. */
export const sampledFlag = 1;

/** Null where it names no trace. Of a later version what version 00 knows is read. */
export function parseTraceparent(text: string): Trace | null {
  const [, version = 'ff', traceId = '0', parentId = '0', flags = '', more] =
    traceparentGrammar.exec(text) ?? [];
  const isKnown = version === '00' ? more === undefined : version !== 'ff';
  if (!isKnown || zeros.test(traceId) || zeros.test(parentId)) return null;
  return { traceId, parentId, flags: Number.parseInt(flags, 16) & knownFlags };
}

/** `traceparent` and `tracestate` of a request; none where it has no trace that can be read. */
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

/** The trace that headers bring; null = they bring none. */
export function traceIn(pairs: readonly string[]): Trace | null {
  const [, parent = ''] = traceHeaders(pairs);
  return parseTraceparent(parent);
}

/** The same headers with a `traceparent` of this trace, which is recorded, and this span. */
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

/** The other headers. */
export function withoutTrace(pairs: readonly string[]): readonly string[] {
  const others: string[] = [];
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const name = pairs[index] ?? '';
    if (!isTraceparent(name) && !isTracestate(name)) others.push(name, pairs[index + 1] ?? '');
  }
  return others.length === pairs.length ? pairs : others;
}

/** A `traceparent` as the span `spanId` sends it on; the same text where it names no trace. */
export function sentOn(traceparent: string, spanId: string): string {
  const trace = parseTraceparent(traceparent);
  if (trace === null) return traceparent;
  const flags = trace.flags.toString(16).padStart(2, '0');
  return `00-${trace.traceId}-${spanId}-${flags}`;
}

const none: readonly string[] = [];

/** Compared by length first: every header of every publish comes here. */
function isTraceparent(name: string): boolean {
  return name.length === 11 && name.toLowerCase() === 'traceparent';
}

function isTracestate(name: string): boolean {
  return name.length === 10 && name.toLowerCase() === 'tracestate';
}

/** As much as every system must pass on; entries at the end, the oldest, are left out first. */
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
