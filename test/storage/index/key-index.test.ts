import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { hashTerm, hashTermIn, KeyIndex, TermList } from '../../../storage/index/key-index.js';
import { SegmentIndex } from '../../../storage/index/segment-index.js';

/** A hash and the relative offset of the record that carries it. */
type Entry = readonly [hash: number, offset: number];

const offsetMax = 30;
const entry = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: offsetMax }));

/** In the order of appending: by offset, each entry once. */
const appended = fc
  .uniqueArray(entry, { maxLength: 60, selector: ([hash, offset]) => hash * 1000 + offset })
  .map((entries) => [...entries].sort(([, one], [, other]) => one - other));

function listOf(entries: readonly Entry[]): TermList {
  const list = new TermList();
  for (const [hash, offset] of entries) list.add(hash, offset);
  return list;
}

it('the hash of a term is the CRC-32 of its UTF-8, however long it is', () => {
  const term = fc.oneof(
    fc.string({ maxLength: 130 }),
    fc.string({ unit: 'binary', maxLength: 130 }),
  );
  fc.assert(
    fc.property(term, (text) => {
      const bytes = Buffer.from(`<${text}>`);
      expect(hashTerm(text)).toBe(crc32(Buffer.from(text)));
      expect(hashTermIn(bytes, 1, bytes.length - 1)).toBe(hashTerm(text));
    }),
  );
});

it('a key index holds exactly its terms, even if recovery has cut its segment', () => {
  fc.assert(
    fc.property(appended, fc.integer({ min: 0, max: offsetMax + 1 }), (entries, until) => {
      const below = entries.filter(([, offset]) => offset < until);
      const index = KeyIndex.build(listOf(entries));
      expect(index.holdsExactly(listOf(below), until)).toBe(true);
      const [first, ...others] = below;
      if (first === undefined) return;
      expect(index.holdsExactly(listOf(others), until)).toBe(false);
      expect(index.holdsExactly(listOf([...others, [first[0] + 1000, first[1]]]), until)).toBe(
        false,
      );
    }),
  );
});

it('a list of several parts finds its terms, however often it was searched before', () => {
  const list = new TermList();
  const terms = 150_000;
  const hashes = 1009;
  for (let entry = 0; entry < terms; entry += 1) list.add((entry % hashes) * 4097, entry);
  for (const hash of [0, 5, 1008, 1009]) {
    const expected = Array.from({ length: Math.ceil((terms - hash) / hashes) }, (_, turn) => {
      return hash + turn * hashes;
    });
    expect(list.find(hash * 4097)).toEqual(hash < hashes ? expected : []);
  }
  list.clear();
  list.add(4097, 7);
  expect(list.find(4097)).toEqual([7]);
});

it('an index finds the records of many terms, each once', () => {
  const index = new SegmentIndex();
  const terms = Array.from({ length: 200 }, (_, place) => `term-${place}`);
  for (const [place, term] of terms.entries()) {
    index.addTerm(hashTerm(term), place);
    index.addTerm(hashTerm(`${term}-too`), place);
  }
  const wanted = terms.slice(50, 150).flatMap((term) => [term, `${term}-too`]);
  expect(index.findAny(wanted)).toEqual(Array.from({ length: 100 }, (_, place) => 50 + place));
  expect(index.findAny(wanted.slice(0, 3))).toEqual([50, 51]);
  expect(index.findAny([])).toEqual([]);
});
