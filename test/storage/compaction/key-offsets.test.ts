import * as fc from 'fast-check';
import { KeyOffsets } from '../../../storage/compaction/key-offsets.js';

const key = (number: number) => Buffer.from(`key ${number}`);

describe('a table of the last offsets of keys', () => {
  it('returns what a map would return, however large it grows', () => {
    const table = new KeyOffsets(100_000);
    for (let offset = 0; offset < 60_000; offset += 1) table.set(key(offset % 20_011), offset);
    for (let number = 0; number < 20_011; number += 1) {
      const last = number + 20_011 * Math.floor((59_999 - number) / 20_011);
      if (table.get(key(number)) !== last) throw new Error(`${number}: ${table.get(key(number))}`);
    }
    expect(table.get(key(20_011))).toBeUndefined();
  });

  it('distinguishes all keys, even the empty one, and refuses one too many', () => {
    const entry = fc.tuple(fc.uint8Array({ maxLength: 3 }), fc.nat());
    fc.assert(
      fc.property(fc.array(entry), fc.integer({ min: 1, max: 20 }), (entries, keysMax) => {
        const table = new KeyOffsets(keysMax);
        const known = new Map<string, number>();
        for (const [bytes, offset] of entries) {
          const name = Buffer.from(bytes).toString('hex');
          const hasRoom = known.has(name) || known.size < keysMax;
          expect(table.set(Buffer.from(bytes), offset)).toBe(hasRoom);
          if (hasRoom) known.set(name, offset);
        }
        for (const [bytes] of entries) {
          const name = Buffer.from(bytes).toString('hex');
          expect(table.get(Buffer.from(bytes))).toBe(known.get(name));
        }
      }),
    );
  });
});
