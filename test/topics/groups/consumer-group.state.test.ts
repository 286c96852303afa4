import fc from 'fast-check';
import type { Owners } from '../../../src/topics/groups/assignment.policy.js';
import { assignmentsIn } from '../../../src/topics/groups/consumer-group.state.js';

/** Counts the passes over all of its topics. */
class CountedOwners extends Map<string, readonly (string | null)[]> {
  passes = 0;

  override [Symbol.iterator]() {
    this.passes += 1;
    return super[Symbol.iterator]();
  }
}

const owner = fc.constantFrom('a', 'b', 'c', null);
const lists = fc.record({ t: fc.array(owner), u: fc.array(owner) });

/** The partitions of one instance, found by a separate search. */
function alone(owners: Owners, instance: string) {
  return [...owners].flatMap(([topic, list]) => {
    const partitions = [...list.keys()].filter((partition) => list[partition] === instance);
    return partitions.length > 0 ? [{ topic, partitions }] : [];
  });
}

it('the partitions of all instances are found in one pass', () => {
  fc.assert(
    fc.property(lists, ({ t, u }) => {
      const owners = new CountedOwners();
      owners.set('t', t).set('u', u);
      const found = assignmentsIn({ owners });
      expect(owners.passes).toBe(1);
      for (const instance of ['a', 'b', 'c', 'd']) {
        expect(found.get(instance) ?? []).toEqual(alone(owners, instance));
      }
    }),
  );
});
