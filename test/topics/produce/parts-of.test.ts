import fc from 'fast-check';
import { partitionOfKey } from '../../../src/topics/produce/partitioner.js';
import type { ProduceRecord } from '../../../src/topics/produce/produce.request.js';
import { partsOf } from '../../../src/topics/produce/record-appender.js';

const record = (partition: number | null, key: string | null): ProduceRecord => ({
  topic: 't',
  partition,
  key: key === null ? null : Buffer.from(key),
  value: Buffer.from('v'),
  headers: [],
  timestamp: null,
});

describe('the records of a request', () => {
  it('go to the partition they name, else by key, else together to the next in turn', () => {
    const records = [record(2, 'k1'), record(null, 'k1'), record(null, null), record(null, null)];
    const turns = [1];
    expect(partsOf(records, 3, () => turns.pop() ?? -1)).toEqual([
      { partition: 2, indexes: [0, 1], records: records.slice(0, 2) },
      { partition: 1, indexes: [2, 3], records: records.slice(2) },
    ]);
  });

  it('take no turn if all of them name a partition or have a key', () => {
    const never = () => {
      throw new Error('a turn was taken');
    };
    const records = [record(0, null), record(null, 'k')];
    expect(partsOf(records, 1, never)).toEqual([{ partition: 0, indexes: [0, 1], records }]);
    expect(partsOf([], 3, never)).toEqual([]);
  });

  it('are each in one part, in their order', () => {
    const any = fc
      .tuple(
        fc.option(fc.nat(4), { nil: null }),
        fc.option(fc.string({ minLength: 1 }), { nil: null }),
      )
      .map(([partition, key]) => record(partition, key));
    fc.assert(
      fc.property(fc.array(any), fc.nat(4), (records, turn) => {
        const parts = partsOf(records, 5, () => turn);
        const all = parts.flatMap(({ indexes }) => indexes);
        expect(all.toSorted((a, b) => a - b)).toEqual([...records.keys()]);
        expect(new Set(parts.map(({ partition }) => partition)).size).toBe(parts.length);
        for (const { partition, indexes, records: own } of parts) {
          expect(own).toEqual(indexes.map((index) => records[index]));
          expect(indexes).toEqual(indexes.toSorted((a, b) => a - b));
          for (const index of indexes) {
            const { partition: chosen = null, key = null } = records[index] ?? {};
            const byKey = key === null ? turn : partitionOfKey(key, 5);
            expect(partition).toBe(chosen ?? byKey);
          }
        }
      }),
    );
  });
});
