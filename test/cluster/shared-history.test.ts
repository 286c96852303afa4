import { crc32 } from 'node:zlib';
import { AcknowledgedEntriesMissing } from '../../src/cluster/cluster-errors.js';
import { chained, decodeEntry, type Entry, encodeEntry, partsOf } from '../../src/cluster/entry.js';
import { ownershipRules } from '../../src/cluster/rules.js';
import { SharedHistory } from '../../src/cluster/shared-history.js';
import { NewerFormat } from '../../storage/faults/storage-errors.js';
import { KeptSeeds } from './walks/kept-seeds.js';

const [one, two] = ['00000000000000a1', '00000000000000b2'] as const;
const body = Buffer.from('batch');

const claim = (epoch: number, life: string, after = 0): Entry => ({
  kind: 'claim',
  epoch,
  life,
  after,
  node: `node-${life}`,
});

const part = (
  epoch: number,
  sequence: number,
  previous: number,
  more: Partial<Extract<Entry, { kind: 'part' }>> = {},
): Entry => {
  const whole = { part: 0, parts: 1, body, ...more };
  return { kind: 'part', epoch, life: one, after: 0, sequence, previous, ...whole };
};

/** The verdicts of a reader on entries, from place 0 on. */
function verdicts(...entries: readonly Entry[]) {
  const history = new SharedHistory(ownershipRules);
  const kinds = entries.map(
    (entry, place) => history.fold({ place, at: place, bytes: encodeEntry(entry) }).kind,
  );
  return { kinds, state: history.state };
}

describe('an entry', () => {
  it.each<[string, Entry]>([
    ['claim', claim(7, one, 12)],
    [
      'heartbeat',
      { kind: 'heartbeat', epoch: 3, life: two, after: 2 ** 40, sequence: 9, checksum: 77 },
    ],
    ['part', part(4, 2 ** 45, 0xffffffff, { part: 2, parts: 3, after: 5 })],
  ])('is decoded as it was encoded: %s', (_, entry) => {
    expect(decodeEntry(encodeEntry(entry))).toEqual(entry);
  });

  it('with any changed bit is not an entry', () => {
    const bytes = encodeEntry(part(1, 1, 0));
    for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(decodeEntry(changed)).toBeNull();
    }
    expect(decodeEntry(bytes.subarray(0, 47))).toBeNull();
  });

  it('of a later version stops the reader', () => {
    const bytes = encodeEntry(claim(1, one, 0));
    bytes.writeUInt8(2, 8);
    bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
    expect(() => decodeEntry(bytes)).toThrow(NewerFormat);
  });

  it('holds one part of a larger batch', () => {
    const sizes = (bytes: number) => partsOf(Buffer.alloc(bytes), 10).map(({ length }) => length);
    expect([sizes(0), sizes(10), sizes(21)]).toEqual([[0], [10], [10, 10, 1]]);
    expect(() => partsOf(Buffer.alloc(0x10000), 1)).toThrow(RangeError);
  });
});

describe('a counted entry', () => {
  it('is the first claim of the next epoch, and no other claim', () => {
    const { kinds, state } = verdicts(claim(1, one), claim(1, two), claim(2, two));
    expect(kinds).toEqual(['claimed', 'ignored', 'claimed']);
    expect(state).toMatchObject({ epoch: 2, owner: two, next: 3 });
  });

  it('is a batch of the owner after the last counted one, and only once', () => {
    const first = chained(0, body);
    const { kinds, state } = verdicts(
      claim(1, one),
      part(1, 1, 0),
      part(1, 1, 0),
      claim(2, two),
      part(1, 2, first),
      part(2, 2, first),
    );
    expect(kinds).toEqual(['claimed', 'counted', 'ignored', 'claimed', 'ignored', 'counted']);
    expect(state).toMatchObject({ sequence: 2, checksum: chained(first, body) });
  });

  it('is a batch of parts when its last part comes, whatever comes in between', () => {
    const piece = (index: number) =>
      part(1, 1, 0, { part: index, parts: 3, body: body.subarray(index, index + 1) });
    const { kinds, state } = verdicts(
      ...[claim(1, one), piece(0), piece(0), piece(2), piece(1), claim(1, two), piece(1), piece(2)],
    );
    expect(kinds.slice(1)).toEqual([
      ...['heard', 'ignored', 'ignored', 'heard', 'ignored', 'ignored', 'counted'],
    ]);
    expect(state.checksum).toBe(chained(0, body.subarray(0, 3)));
  });

  it('is never a part of an owner that has lost the log', () => {
    const { kinds } = verdicts(
      claim(1, one),
      part(1, 1, 0, { part: 0, parts: 2 }),
      claim(2, two),
      part(1, 1, 0, { part: 1, parts: 2 }),
      part(2, 1, 0, { part: 0, parts: 2 }),
      part(1, 1, 0, { part: 1, parts: 2 }),
      part(2, 1, 0, { part: 1, parts: 2 }),
    );
    expect(kinds.slice(3)).toEqual(['ignored', 'heard', 'ignored', 'counted']);
  });

  it('is not folded across a hole', () => {
    const history = new SharedHistory(ownershipRules);
    const bytes = encodeEntry(claim(1, one));
    expect(history.fold({ place: 1, at: 0, bytes }).kind).toBe('hole');
    expect(history.state.next).toBe(0);
  });
});

describe('a log without its tail', () => {
  const first = chained(0, body);
  const beat = (sequence: number, checksum: number): Entry => ({
    kind: 'heartbeat',
    epoch: 1,
    life: one,
    after: 0,
    sequence,
    checksum,
  });
  it.each<[string, Entry]>([
    ['a writer that had read more', claim(2, two, 9)],
    ['a claim after a claim that is not there', claim(3, two)],
    ['an entry of an epoch that is not there', part(2, 2, first)],
    ['a batch after one that is not there', part(1, 3, first)],
    ['a batch after another one', part(1, 2, first + 1)],
    ['a beat after a batch that is not there', beat(2, first)],
    ['a beat after another batch', beat(1, first + 1)],
  ])('is noticed by %s', (_, entry) => {
    expect(() => verdicts(claim(1, one), part(1, 1, 0), entry)).toThrow(AcknowledgedEntriesMissing);
  });

  it('is noticed by an owner that has not read what the previous owner wrote', () => {
    const entries = [claim(1, one), part(1, 1, 0), claim(2, two), part(2, 1, 0)];
    expect(() => verdicts(...entries)).toThrow('its owner has not read batch 1');
  });

  it.each<[string, Entry[]]>([
    ['an entry of an owner before', [part(1, 2, first, { after: 3 })]],
    ['a claim that another one has taken', [claim(2, one, 3)]],
    ['a second owner of the same epoch', [part(2, 2, first, { after: 3 })]],
    [
      'an owner that has released it',
      [
        { kind: 'release', epoch: 2, life: two, after: 3, sequence: 1, checksum: first },
        { kind: 'heartbeat', epoch: 2, life: two, after: 4, sequence: 1, checksum: first },
      ],
    ],
  ])('is noticed by %s, whose writer had read about another owner', (_, entries) => {
    const before = [claim(1, one), part(1, 1, 0), claim(2, two, 2)];
    expect(() => verdicts(...before, ...entries)).toThrow('its writer does not know who');
  });

  it('is noticed after a skipped place, too', () => {
    const history = new SharedHistory(ownershipRules);
    const fold = (place: number, entry: Entry) =>
      history.fold({ place, at: place, bytes: encodeEntry(entry) }).kind;
    fold(0, claim(1, one));
    fold(1, claim(2, two, 1));
    expect(fold(9, part(1, 1, 0, { after: 1 }))).toBe('hole');
    expect(fold(9, claim(3, one, 9))).toBe('hole');
    expect(() => fold(9, part(1, 1, 0, { after: 8 }))).toThrow('its writer does not know who');
  });

  it('is noticed by bytes that are not an entry', () => {
    const history = new SharedHistory(ownershipRules);
    const bytes = Buffer.alloc(100);
    expect(() => history.fold({ place: 0, at: 0, bytes })).toThrow(AcknowledgedEntriesMissing);
  });
});

describe('kept seeds', () => {
  it('are forgotten after ten minutes by the clock of the log', () => {
    const seeds = new KeptSeeds();
    seeds.keep('a', 1000);
    seeds.keep('b', 600_000);
    seeds.keep('c', 601_000);
    const copy = seeds.copy();
    seeds.keep('d', 601_001);
    expect(['a', 'b', 'c', 'd'].map((seed) => seeds.has(seed))).toEqual([false, true, true, true]);
    expect(['a', 'd'].map((seed) => copy.has(seed))).toEqual([true, false]);
  });

  it('are kept if the clock of the log goes back', () => {
    const seeds = new KeptSeeds();
    seeds.keep('a', 900_000);
    seeds.keep('b', 0);
    seeds.keep('c', 900_001);
    expect(seeds.has('b')).toBe(true);
  });
});
