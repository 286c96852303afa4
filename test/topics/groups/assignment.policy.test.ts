import fc from 'fast-check';
import {
  afterMoves,
  assign as assignMembers,
  movesBetween,
  type Owners,
  type Strategy,
  strategies,
} from '../../../src/topics/groups/assignment.policy.js';
import { Members } from '../../../src/topics/groups/members.js';

const noOwners: Owners = new Map();

function assign(
  strategy: Strategy,
  members: ReadonlyMap<string, readonly string[]>,
  partitionsOf: (topic: string) => number,
  previous: Owners,
): Owners {
  return assignMembers(strategy, Members.of(members), partitionsOf, previous);
}

/** Members as `id: topics`, topics as `name: partitions`; owners as `topic: owner of each`. */
function assigned(
  strategy: Strategy,
  members: Record<string, string>,
  topics: Record<string, number>,
  previous: Owners = noOwners,
): Record<string, string> {
  const subscriptions = new Map(
    Object.entries(members).map(([instance, names]) => [instance, [...names]]),
  );
  const owners = assign(strategy, subscriptions, (topic) => topics[topic] ?? 0, previous);
  return Object.fromEntries([...owners].map(([topic, list]) => [topic, list.join('')]));
}

describe('range', () => {
  it.each([
    [{ a: 't' }, { t: 3 }, { t: 'aaa' }],
    [{ a: 't', b: 't' }, { t: 3 }, { t: 'aab' }],
    [{ b: 't', a: 't' }, { t: 3 }, { t: 'aab' }],
    [{ a: 't', b: 't', c: 't' }, { t: 7 }, { t: 'aaabbcc' }],
    [{ a: 't', b: 't', c: 't' }, { t: 2 }, { t: 'ab' }],
    [
      { a: 'tu', b: 'tu' },
      { t: 3, u: 3 },
      { t: 'aab', u: 'aab' },
    ],
    [
      { a: 't', b: 'tu', c: 'u' },
      { t: 2, u: 2 },
      { t: 'ab', u: 'bc' },
    ],
    [{ a: 'tx' }, { t: 1 }, { t: 'a' }],
    [{}, { t: 3 }, {}],
  ])('of %j over %j is %j, as in Kafka', (members, topics, owners) => {
    expect(assigned('range', members, topics)).toEqual(owners);
  });

  it('orders members by bytes, like the static ids of Kafka', () => {
    // U+1F600 is below U+FFEE by its UTF-16 units, and above it by its UTF-8 bytes.
    const members = new Map([
      ['\u{1F600}', ['t']],
      ['\uFFEE', ['t']],
    ]);
    const owners = assign('range', members, () => 3, noOwners);
    expect(owners.get('t')).toEqual(['\uFFEE', '\uFFEE', '\u{1F600}']);
  });
});

describe('roundrobin', () => {
  it.each([
    [{ a: 't', b: 't' }, { t: 3 }, { t: 'aba' }],
    [
      { a: 'tu', b: 'tu' },
      { t: 3, u: 3 },
      { t: 'aba', u: 'bab' },
    ],
    [
      { a: 't', b: 'tu', c: 'tuv' },
      { t: 1, u: 2, v: 3 },
      { t: 'a', u: 'bc', v: 'ccc' },
    ],
  ])('of %j over %j is %j, as in Kafka', (members, topics, owners) => {
    expect(assigned('roundrobin', members, topics)).toEqual(owners);
  });
});

/** By its definition: each member has its turn, and passes if it is not subscribed. */
function dealt(members: ReadonlyMap<string, readonly string[]>, of: (topic: string) => number) {
  const ids = [...Members.of(members)].map(({ instance }) => instance);
  const owners = new Map<string, string[]>();
  let turn = 0;
  for (const topic of topics) {
    const own = ids.filter((id) => members.get(id)?.includes(topic));
    if (own.length === 0 || of(topic) === 0) continue;
    const list: string[] = [];
    for (; list.length < of(topic); turn += 1) {
      const id = ids[turn % ids.length] ?? '';
      if (own.includes(id)) list.push(id);
    }
    owners.set(topic, list);
  }
  return owners;
}

describe('roundrobin of any members', () => {
  it('deals the partitions of all topics in turn', () => {
    fc.assert(
      fc.property(subscriptions, counts, (members, count) => {
        const partitionsOf = (topic: string) => count[topic as 't'];
        const owners = assign('roundrobin', members, partitionsOf, noOwners);
        expect(owners).toEqual(dealt(members, partitionsOf));
      }),
    );
  });

  // An earlier version passed all members for each partition, which took many seconds in one turn
  // of the server.
  it('gives 200,000 partitions to the only subscriber of 10,000 members', () => {
    const members = new Map(
      Array.from({ length: 10_000 }, (_, index) => [`i${index}`, [index === 0 ? 't' : 'u']]),
    );
    const counted = (topic: string) => (topic === 't' ? 200_000 : 1);
    const owners = assign('roundrobin', members, counted, noOwners);
    expect(new Set(owners.get('t'))).toEqual(new Set(['i0']));
    expect(owners.get('t')).toHaveLength(200_000);
  });
});

describe('sticky', () => {
  // An earlier version passed all members for each partition without an owner.
  it('spreads 200,000 partitions evenly over 10,000 members', () => {
    const members = new Map(Array.from({ length: 10_000 }, (_, index) => [`i${index}`, ['t']]));
    const owners = assign('sticky', members, () => 200_000, noOwners);
    const loads = new Map<string | null, number>();
    for (const owner of owners.get('t') ?? []) loads.set(owner, (loads.get(owner) ?? 0) + 1);
    expect(loads.size).toBe(10_000);
    expect(new Set(loads.values())).toEqual(new Set([20]));
  });

  const owned = (list: string): Owners => new Map([['t', [...list]]]);

  it.each([
    ['aaaa', { a: 't', b: 't' }, 'aabb'],
    ['aabb', { a: 't' }, 'aaaa'],
    ['aabbcc', { a: 't', c: 't' }, 'aaaccc'],
    ['aabbcc', { a: 't', b: 't', c: 't', d: 't' }, 'adbbcc'],
    ['abab', { a: 't', b: 't' }, 'abab'],
    ['ab', { a: 't', b: 't' }, 'abab'],
  ])('of %s for %j is balanced and keeps what it can: %s', (before, members, after) => {
    const { t = '' } = assigned('sticky', members, { t: Math.max(4, after.length) }, owned(before));
    const sorted = (text: string) => [...text].sort().join('');
    expect(sorted(t)).toBe(sorted(after.padEnd(t.length, '?')));
    const moved = [...before].filter((owner, index) => owner !== t[index]).length;
    const least = [...before].filter((owner, index) => owner !== after[index]).length;
    expect(moved).toBe(least);
  });
});

const topics = ['t', 'u', 'v'];
const counts = fc.record({
  t: fc.integer({ min: 0, max: 9 }),
  u: fc.integer({ min: 0, max: 9 }),
  v: fc.integer({ min: 0, max: 3 }),
});
const groups = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 6 });
const subscriptions = groups.chain((ids) =>
  fc
    .tuple(...ids.map((id) => fc.tuple(fc.constant(id), fc.subarray(topics))))
    .map((pairs) => new Map(pairs)),
);
const anyStrategy = fc.constantFrom(...strategies);

const loadsOf = (owners: Owners, members: Iterable<string>) => {
  const loads = new Map([...members].map((instance) => [instance, 0]));
  for (const owner of [...owners.values()].flat()) {
    if (owner !== null) loads.set(owner, (loads.get(owner) ?? 0) + 1);
  }
  return loads;
};

describe('every strategy', () => {
  it('gives each partition of each subscribed topic exactly one subscriber', () => {
    fc.assert(
      fc.property(
        anyStrategy,
        subscriptions,
        subscriptions,
        counts,
        (strategy, before, after, count) => {
          const partitionsOf = (topic: string) => count[topic as 't'];
          const previous = assign(strategy, before, partitionsOf, noOwners);
          const owners = assign(strategy, after, partitionsOf, previous);
          for (const topic of topics) {
            const own = [...after].filter(([, names]) => names.includes(topic));
            const list = owners.get(topic) ?? [];
            expect(list).toHaveLength(own.length === 0 ? 0 : partitionsOf(topic));
            for (const owner of list) {
              expect(own.map(([instance]) => instance)).toContain(owner);
            }
          }
        },
      ),
    );
  });

  it('does not depend on the order in which members joined', () => {
    fc.assert(
      fc.property(anyStrategy, subscriptions, counts, (strategy, members, count) => {
        const partitionsOf = (topic: string) => count[topic as 't'];
        const reversed = new Map([...members].reverse());
        const owners = assign(strategy, members, partitionsOf, noOwners);
        expect([...assign(strategy, reversed, partitionsOf, noOwners)].sort()).toEqual(
          [...owners].sort(),
        );
      }),
    );
  });

  it('balances equal subscribers: none has two more, for range per topic', () => {
    fc.assert(
      fc.property(anyStrategy, groups, counts, (strategy, ids, count) => {
        const members = new Map(ids.map((id) => [id, topics]));
        const owners = assign(strategy, members, (topic) => count[topic as 't'], noOwners);
        const parts = strategy === 'range' ? [...owners].map((each) => new Map([each])) : [owners];
        for (const part of parts) {
          const loads = [...loadsOf(part, ids).values()];
          expect(Math.max(0, ...loads) - Math.min(...loads, Math.max(0, ...loads))).toBeLessThan(2);
        }
      }),
    );
  });

  it('returns the moves that turn the previous owners into the next ones', () => {
    fc.assert(
      fc.property(
        anyStrategy,
        subscriptions,
        subscriptions,
        counts,
        counts,
        (strategy, before, after, countBefore, countAfter) => {
          const old = assign(strategy, before, (topic) => countBefore[topic as 't'], noOwners);
          const next = assign(strategy, after, (topic) => countAfter[topic as 't'], old);
          const moves = movesBetween(old, next);
          expect([...afterMoves(old, moves)].sort()).toEqual([...next].sort());
          expect(movesBetween(next, next)).toEqual([]);
        },
      ),
    );
  });
});

describe('the sticky strategy', () => {
  it('moves among equal subscribers only as many partitions as balance needs', () => {
    fc.assert(
      fc.property(groups, groups, counts, (before, after, count) => {
        fc.pre(after.length > 0);
        const partitionsOf = (topic: string) => count[topic as 't'];
        const all = (ids: string[]) => new Map(ids.map((id) => [id, topics]));
        const old = assign('sticky', all(before), partitionsOf, noOwners);
        const next = assign('sticky', all(after), partitionsOf, old);
        const total = count.t + count.u + count.v;
        const [share, extra] = [Math.floor(total / after.length), total % after.length];
        const loads = after.map((instance) => loadsOf(old, before).get(instance) ?? 0);
        const keepable =
          loads.reduce((sum, load) => sum + Math.min(load, share), 0) +
          Math.min(extra, loads.filter((load) => load > share).length);
        const kept = topics.flatMap((topic) =>
          (next.get(topic) ?? []).filter((owner, index) => old.get(topic)?.[index] === owner),
        );
        expect(kept).toHaveLength(keepable);
      }),
    );
  });

  it('leaves no partition that could be given to a member with two fewer', () => {
    fc.assert(
      fc.property(subscriptions, subscriptions, counts, (before, after, count) => {
        const partitionsOf = (topic: string) => count[topic as 't'];
        const old = assign('sticky', before, partitionsOf, noOwners);
        const next = assign('sticky', after, partitionsOf, old);
        const loads = loadsOf(next, after.keys());
        for (const [topic, list] of next) {
          for (const owner of list) {
            for (const [instance, names] of after) {
              if (!names.includes(topic)) continue;
              expect(loads.get(owner ?? '') ?? 0).toBeLessThanOrEqual(
                (loads.get(instance) ?? 0) + 1,
              );
            }
          }
        }
      }),
    );
  });

  // An earlier version examined all partitions for each one that moves, which took minutes in one
  // turn of the server.
  it('gives half of 100,000 partitions to a second member', () => {
    const one = new Map([['a', ['t']]]);
    const old = assign('sticky', one, () => 100_000, noOwners);
    const next = assign('sticky', new Map([...one, ['b', ['t']]]), () => 100_000, old);
    expect(loadsOf(next, ['a', 'b'])).toEqual(
      new Map([
        ['a', 50_000],
        ['b', 50_000],
      ]),
    );
  });
});
