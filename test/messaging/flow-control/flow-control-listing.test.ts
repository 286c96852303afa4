import { text } from 'node:stream/consumers';
import { flowControlListing } from '../../../src/messaging/flow-control/flow-control-listing.js';
import type { FlowControlRecord } from '../../../src/messaging/flow-control/flow-control-record.js';

const recordOf = (key: string) => ({ flowControlKey: key }) as FlowControlRecord;
const durable = () => Promise.resolve();
const names = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`);

async function listed(keys: string[], reads: Partial<Parameters<typeof flowControlListing>[1]>) {
  const written = await text(flowControlListing(keys, { recordOf, durable, ...reads }));
  const { flowControls } = JSON.parse(written) as { flowControls: FlowControlRecord[] };
  return flowControls.map(({ flowControlKey }) => flowControlKey);
}

describe('the list of keys', () => {
  it.each([0, 1, 256, 257, 1000])('holds all of %i', async (count) => {
    expect(await listed(names(count), {})).toEqual(names(count));
  });

  it('leaves out what is forgotten meanwhile, wherever it stands', async () => {
    const isKnown = (key: string) => /7$/.test(key) && Number(key.slice(1)) > 600;
    const keys = await listed(names(2000), {
      recordOf: (key) => (isKnown(key) ? recordOf(key) : null),
    });
    expect(keys).toEqual(names(2000).filter(isKnown));
    expect(await listed(names(600), { recordOf: () => null })).toEqual([]);
  });

  it('shows a piece only when it is durable, and lets others go first', async () => {
    let ticks = 0;
    let isListed = false;
    const count = () => {
      ticks += 1;
      if (!isListed) setImmediate(count);
    };
    setImmediate(count);
    let reads = 0;
    const waits: number[] = [];
    await listed(names(2560), {
      recordOf: (key) => {
        reads += 1;
        return recordOf(key);
      },
      durable: async () => {
        waits.push(reads);
      },
    });
    isListed = true;
    expect(waits).toEqual(Array.from({ length: 10 }, (_, index) => (index + 1) * 256));
    expect(ticks).toBeGreaterThanOrEqual(10);
  });
});
