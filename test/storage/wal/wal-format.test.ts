import * as fc from 'fast-check';
import {
  encodeEntry,
  entryLength,
  partLength,
  readWal,
  type WalPart,
} from '../../../storage/wal/wal-format.js';

const storeId = Buffer.alloc(16, 3);
const part = (logId: number, value: string): WalPart => {
  return { logId, number: 4, position: 64 + logId, bytes: Buffer.from(value) };
};

/** A half with these entries, of generation 5 unless said otherwise. */
function half(entries: readonly (readonly WalPart[])[], generation = 5, before = 0): Buffer {
  const target = Buffer.alloc(4096);
  const written = entries.map((parts, sequence) => {
    const place = { generation, sequence, before };
    return Buffer.from(encodeEntry(target, storeId, place, parts));
  });
  return Buffer.concat([...written, Buffer.alloc(512)]);
}

const lengthOf = (parts: readonly WalPart[]) =>
  entryLength(parts.reduce((sum, { bytes }) => sum + partLength(bytes.length), 0));

const nothing = Buffer.alloc(512);
const [a, b, c] = [[part(1, 'first'), part(2, 'x')], [part(3, 'second')], [part(1, 'third')]];

describe('what counts of a write-ahead log', () => {
  it('is what was written, in order', () => {
    const parts = fc.array(
      fc.record({
        logId: fc.nat(2 ** 32 - 1),
        number: fc.nat(2 ** 32 - 1),
        position: fc.nat(2 ** 32 - 1),
        bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      }),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1, maxLength: 6 }), (entries) => {
        const found = readWal([half(entries), nothing], storeId);
        expect(found).toEqual({ parts: entries.flat(), fault: null });
      }),
    );
  });

  it('is without the last entry where that is torn, wherever it is', () => {
    const whole = half([a, b, c]);
    const from = lengthOf(a) + lengthOf(b);
    for (let at = from; at < from + lengthOf(c) - 3; at += 1) {
      const torn = Buffer.from(whole);
      torn[at] = (torn[at] ?? 0) ^ 0x10;
      const found = readWal([torn, nothing], storeId);
      // The last bytes of an entry are zeros that no checksum covers.
      if (found.parts.length === 4) continue;
      expect(found).toEqual({ parts: [...a, ...b], fault: null });
    }
  });

  it('is damaged where an entry before the last one does not read', () => {
    const whole = half([a, b, c]);
    for (const at of [0, 9, 13, 21, 33, 50, 70, lengthOf(a) + 3, lengthOf(a) + 60]) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      expect(readWal([damaged, nothing], storeId).fault).not.toBeNull();
    }
  });

  it('is also what the last entry still needs of the generation before', () => {
    const older = half([a, b], 4);
    const found = readWal([half([c], 5, 2), older], storeId);
    expect(found).toEqual({ parts: [...a, ...b, ...c], fault: null });
    expect(readWal([half([c], 5, 0), older], storeId).parts).toEqual(c);
    expect(readWal([half([c], 5, 3), older], storeId).fault).not.toBeNull();
  });

  it('is nothing of another store', () => {
    expect(readWal([half([a]), nothing], Buffer.alloc(16, 9)).fault).toBe('no entry is intact');
  });
});
