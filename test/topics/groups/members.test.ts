import fc from 'fast-check';
import { Members } from '../../../src/topics/groups/members.js';

const ids = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
  fc.constantFrom('a', 'b', 'a1', 'a10', 'a2', '\u{1F600}', '\uFFEE', '\uD800', '\uDC00'),
);
const changes = fc.array(
  fc.record({ id: ids, topics: fc.option(fc.subarray(['t', 'u']), { nil: null }) }),
  { maxLength: 30 },
);

describe('the members of a group', () => {
  it('are those who joined and have not left, ordered by the bytes of their ids', () => {
    fc.assert(
      fc.property(changes, (all) => {
        let members = Members.none;
        const expected = new Map<string, readonly string[]>();
        for (const { id, topics } of all) {
          const before = [...members];
          const next = topics === null ? members.without(id) : members.with(id, topics);
          expect([...members]).toEqual(before);
          members = next;
          if (topics === null) expected.delete(id);
          else expected.set(id, topics);
          expect(members.topicsOf(id)).toEqual(topics ?? undefined);
          expect(members.has(id)).toBe(topics !== null);
        }
        const found = [...members].map(({ instance, topics }) => [instance, topics] as const);
        expect(new Map(found)).toEqual(expected);
        const bytes = found.map(([instance]) => Buffer.from(instance));
        expect(bytes).toEqual([...bytes].sort(Buffer.compare));
        expect([...Members.of(expected)]).toEqual([...members]);
        expect(members.size).toBe(expected.size);
      }),
    );
  });
});
