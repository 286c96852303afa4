import { text } from 'node:stream/consumers';
import { flowControlListing } from '../../../src/messaging/flow-control/flow-control-listing.js';
import type { FlowControlRecord } from '../../../src/messaging/flow-control/flow-control-record.js';
import { SeededRandom } from '../../simulation/seeded-random.js';

const recordOf = (key: string): FlowControlRecord | null =>
  ({ flowControlKey: key }) as FlowControlRecord;
/** A source that returns what was read immediately. */
const controls = { shown: async <Value>(read: () => Value) => read() };
const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `k${String(index).padStart(5, '0')}`);

async function listed(keys: string[], read = recordOf, source = controls) {
  const written = await text(flowControlListing(keys, read, source));
  const { flowControls } = JSON.parse(written) as { flowControls: FlowControlRecord[] };
  return flowControls.map(({ flowControlKey }) => flowControlKey);
}

describe('the list of keys', () => {
  it.each([0, 1, 256, 257, 1000])('holds all of %i keys', async (count) => {
    expect(await listed(names(count))).toEqual(names(count));
  });

  it.each([3, 2048, 5000])('holds %i keys in the order of their names', async (count) => {
    const random = new SeededRandom(count);
    const mixed = names(count)
      .map((key) => ({ key, at: random.below(1_000_000) }))
      .sort((one, other) => one.at - other.at)
      .map(({ key }) => key);
    expect(await listed(mixed)).toEqual(names(count));
  });

  it('leaves out keys that are forgotten meanwhile, wherever they stand', async () => {
    const isKnown = (key: string) => /7$/.test(key) && Number(key.slice(1)) > 600;
    const keys = await listed(names(2000), (key) => (isKnown(key) ? recordOf(key) : null));
    expect(keys).toEqual(names(2000).filter(isKnown));
    expect(await listed(names(600), () => null)).toEqual([]);
  });

  it('shows a piece only once it is durable, and yields to other work', async () => {
    let ticks = 0;
    let isListed = false;
    const count = () => {
      ticks += 1;
      if (!isListed) setImmediate(count);
    };
    setImmediate(count);
    let reads = 0;
    const waits: number[] = [];
    const read = (key: string) => {
      reads += 1;
      return recordOf(key);
    };
    const shown = async <Value>(readAll: () => Value) => {
      const value = readAll();
      waits.push(reads);
      return value;
    };
    await listed(names(2560), read, { shown });
    isListed = true;
    expect(waits).toEqual(Array.from({ length: 10 }, (_, index) => (index + 1) * 256));
    expect(ticks).toBeGreaterThanOrEqual(10);
  });
});
