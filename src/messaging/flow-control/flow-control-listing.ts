/**
 * Streams the list of keys: there may be one for each user, and listing them all must not delay
 * other requests.
 */
import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { slicesOf } from '../../engine/bulk/slices.js';
import type { FlowControls } from './flow-control.entity.js';
import type { FlowControlRecord } from './flow-control-record.js';

/** How many keys are read and written in one tick. */
const keysPerTick = 256;
/** How many keys are sorted in one tick. */
const keysSortedPerTick = 2048;

/**
 * Streams `{"flowControls":[...]}` with those of `keys` that are still known, in alphabetical
 * order. `recordOf` returns null for a key that is no longer known.
 */
export function flowControlListing(
  keys: readonly string[],
  recordOf: (key: string) => FlowControlRecord | null,
  controls: Pick<FlowControls, 'shown'>,
): Readable {
  return Readable.from(pieces(keys, recordOf, controls), { objectMode: false });
}

async function* pieces(
  keys: readonly string[],
  recordOf: (key: string) => FlowControlRecord | null,
  controls: Pick<FlowControls, 'shown'>,
): AsyncGenerator<string> {
  yield '{"flowControls":[';
  let separator = '';
  for (const slice of inOrder(await sortedRuns(keys))) {
    const records = await controls.shown(() => slice.flatMap((key) => recordOf(key) ?? []));
    await nextTick();
    if (records.length === 0) continue;
    yield separator + records.map((record) => JSON.stringify(record)).join(',');
    separator = ',';
  }
  yield ']}';
}

async function sortedRuns(keys: readonly string[]): Promise<string[][]> {
  const runs: string[][] = [];
  for (const slice of slicesOf(keys, keysSortedPerTick)) {
    if (runs.length > 0) await nextTick();
    runs.push([...slice].sort());
  }
  return runs;
}

/** Merges sorted runs into one order, a slice of keys at a time. */
function* inOrder(runs: readonly string[][]): Generator<readonly string[]> {
  const places = runs.map(() => 0);
  for (;;) {
    const slice: string[] = [];
    while (slice.length < keysPerTick) {
      let [first, least]: [number, string | undefined] = [0, undefined];
      for (const [run, place] of places.entries()) {
        const key = runs[run]?.[place];
        if (key !== undefined && (least === undefined || key < least)) [first, least] = [run, key];
      }
      if (least === undefined) break;
      slice.push(least);
      places[first] = (places[first] ?? 0) + 1;
    }
    if (slice.length === 0) return;
    yield slice;
  }
}
