/**
 * The list of keys as it goes out: there may be one for each user, and a list of them all must not
 * hold up other requests.
 */
import { Readable } from 'node:stream';
import { slicesOf } from '../../engine/bulk/slices.js';
import type { FlowControls } from './flow-control.entity.js';
import type { FlowControlRecord } from './flow-control-record.js';

/** Keys that are read and written in one tick. */
const keysPerTick = 256;

/**
 * `{"flowControls":[...]}` of those of `keys` that are still known, piece by piece; `recordOf`
 * answers null for one that is not.
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
  for (const slice of slicesOf(keys, keysPerTick)) {
    const records = await controls.shown(() => slice.flatMap((key) => recordOf(key) ?? []));
    await new Promise((resolve) => setImmediate(resolve));
    if (records.length === 0) continue;
    yield separator + records.map((record) => JSON.stringify(record)).join(',');
    separator = ',';
  }
  yield ']}';
}
