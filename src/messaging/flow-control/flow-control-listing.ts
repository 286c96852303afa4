/**
 * The list of keys as it goes out: there may be one for each user, and a list of them all must not
 * hold up everybody else.
 */
import { Readable } from 'node:stream';
import type { FlowControlRecord } from './flow-control-record.js';

/** Keys that are read and written in one tick. */
const keysPerTick = 256;

/** How one key is read, and when what was read may be shown. */
export interface FlowControlReads {
  /** null: it is not known any more. */
  readonly recordOf: (key: string) => FlowControlRecord | null;
  readonly durable: () => Promise<void>;
}

/** `{"flowControls":[...]}` of those of `keys` that are still known, piece by piece. */
export function flowControlListing(keys: readonly string[], reads: FlowControlReads): Readable {
  return Readable.from(pieces(keys, reads), { objectMode: false });
}

async function* pieces(
  keys: readonly string[],
  { recordOf, durable }: FlowControlReads,
): AsyncGenerator<string> {
  yield '{"flowControls":[';
  let separator = '';
  for (let from = 0; from < keys.length; from += keysPerTick) {
    const records = keys.slice(from, from + keysPerTick).flatMap((key) => recordOf(key) ?? []);
    await durable();
    await new Promise((resolve) => setImmediate(resolve));
    if (records.length === 0) continue;
    yield separator + records.map((record) => JSON.stringify(record)).join(',');
    separator = ',';
  }
  yield ']}';
}
