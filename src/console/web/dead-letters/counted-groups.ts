/** Groups of dead letters that the server counts in several answers, the newest letters first. */

/** What is added up of a group, and what identifies it. */
interface CountedGroup {
  readonly responseStatus: number;
  readonly origin: string;
  readonly error: string;
  readonly count: number;
  readonly oldestAt: number;
}

/** One answer; a part without a cursor is the last one. */
interface Part<Group> {
  readonly groups: readonly Group[];
  readonly others: number;
  readonly cursor?: string | undefined;
  readonly searchedTo?: number | undefined;
}

/** Groups with the same name have the same failure. */
export const groupName = ({ responseStatus, origin, error }: Omit<CountedGroup, 'count'>) =>
  `${responseStatus} ${origin} ${error}`;

/** Adds up at most `partsMax` answers; the largest group is first. */
export async function countedGroups<Group extends CountedGroup>(
  partsMax: number,
  load: (cursor: string | undefined) => Promise<Part<Group>>,
) {
  const groups = new Map<string, Group>();
  let others = 0;
  let part: Part<Group> | null = null;
  for (let parts = 0; parts < partsMax; parts += 1) {
    if (part !== null && part.cursor === undefined) break;
    part = await load(part?.cursor);
    others += part.others;
    for (const group of part.groups) {
      const name = groupName(group);
      const known = groups.get(name);
      // Later parts have older letters.
      const { oldestAt } = group;
      const sum = known && { ...known, count: known.count + group.count, oldestAt };
      groups.set(name, sum ?? group);
    }
  }
  const sorted = [...groups.values()].sort((one, other) => other.count - one.count);
  return { groups: sorted, others, searchedTo: part?.searchedTo };
}
