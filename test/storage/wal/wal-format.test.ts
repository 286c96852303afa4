import * as fc from 'fast-check';
import {
  encodeEntry,
  entryLength,
  partLength,
  readWal,
  type WalPart,
} from '../../../storage/wal/wal-format.js';

const id = Buffer.alloc(16, 3);
const halfLength = 1024;
const part = (logId: number, value: string): WalPart => {
  return { logId, number: 4, position: 64 + logId, bytes: Buffer.from(value) };
};

/** A half with these entries, of generation 5 by default. */
function half(entries: readonly (readonly WalPart[])[], generation = 5, before = 0): Buffer {
  const target = Buffer.alloc(4096);
  const written = entries.map((parts, sequence) => {
    const place = { generation, sequence, before, halfLength };
    return Buffer.from(encodeEntry(target, id, place, parts));
  });
  const bytes = Buffer.alloc(halfLength);
  Buffer.concat(written).copy(bytes);
  return bytes;
}

const lengthOf = (parts: readonly WalPart[]) =>
  entryLength(parts.reduce((sum, { bytes }) => sum + partLength(bytes.length), 0));

const nothing = Buffer.alloc(halfLength);
const [a, b, c] = [[part(1, 'first'), part(2, 'x')], [part(3, 'second')], [part(1, 'third')]];

describe('the content of a write-ahead log that counts', () => {
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
        const found = readWal([half(entries), nothing], id);
        expect(found).toEqual({ parts: entries.flat(), fault: null });
      }),
    );
  });

  it('has the same bytes, whatever was in memory before', () => {
    const place = { generation: 1, sequence: 0, before: 0, halfLength };
    const written = (target: Buffer) => encodeEntry(target, id, place, c);
    expect(written(Buffer.alloc(200, 0xff))).toEqual(written(Buffer.alloc(200)));
  });

  it('lacks the last entry if that is torn, wherever it is', () => {
    const whole = half([a, b, c]);
    const from = lengthOf(a) + lengthOf(b);
    for (let at = from; at < from + lengthOf(c) - 3; at += 1) {
      const torn = Buffer.from(whole);
      torn[at] = (torn[at] ?? 0) ^ 0x10;
      const found = readWal([torn, nothing], id);
      // The last bytes of an entry are zeros that no checksum covers.
      if (found.parts.length === 4) continue;
      expect(found).toEqual({ parts: [...a, ...b], fault: null });
    }
  });

  it('is damaged if an entry before the last one cannot be read', () => {
    const whole = half([a, b, c]);
    for (const at of [0, 9, 13, 21, 33, 50, 70, lengthOf(a) + 3, lengthOf(a) + 60]) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      expect(readWal([damaged, nothing], id).fault).not.toBeNull();
    }
  });

  it('is damaged if entries still needed of the generation before cannot be read', () => {
    const older = half([a, b], 4);
    for (const at of [50, lengthOf(a) + 60]) {
      const damaged = Buffer.from(older);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      expect(readWal([half([c], 5, 2), damaged], id).fault).not.toBeNull();
    }
  });

  it('is all of the generation before if the first entry of the last one is torn', () => {
    const torn = half([c], 5, 2);
    torn[60] = (torn[60] ?? 0) ^ 0x10;
    const found = readWal([torn, half([a, b], 4)], id);
    expect(found).toEqual({ parts: [...a, ...b], fault: null });
  });

  it('includes what the last entry still needs of the generation before', () => {
    const older = half([a, b], 4);
    const found = readWal([half([c], 5, 2), older], id);
    expect(found).toEqual({ parts: [...a, ...b, ...c], fault: null });
    expect(readWal([half([c], 5, 0), older], id).parts).toEqual(c);
    expect(readWal([half([c], 5, 3), older], id).fault).not.toBeNull();
  });

  it('is not reliable if the file has another length', () => {
    const whole = Buffer.concat([half([c], 5, 2), half([a, b], 4)]);
    for (const length of [0, 40, 200, 1000, 1024, 1500, 2000, 2046, 2050, 4096]) {
      const changed = Buffer.concat([whole, Buffer.alloc(4096)]).subarray(0, length);
      const middle = Math.floor(length / 2);
      const halves = [changed.subarray(0, middle), changed.subarray(middle, 2 * middle)];
      expect(readWal(halves, id).fault).not.toBeNull();
    }
  });

  it('can have more entries than a call may have arguments', () => {
    const entry = (sequence: number) => {
      const place = { generation: 1, sequence, before: 0, halfLength: 48 * 200_000 };
      return Buffer.from(encodeEntry(Buffer.alloc(48), id, place, []));
    };
    const full = Buffer.concat(Array.from({ length: 200_000 }, (_, sequence) => entry(sequence)));
    const empty = Buffer.alloc(full.length);
    expect(readWal([full, empty], id)).toEqual({ parts: [], fault: null });
  });

  it('excludes entries of another file', () => {
    expect(readWal([half([a]), nothing], Buffer.alloc(16, 9)).fault).toBe('no entry is intact');
  });
});
