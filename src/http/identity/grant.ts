/** What a credential of the log interface may do, and with which topics (topics.md 1.5). */

/** As a credential names what it permits. */
export type Permissions = 'ALL' | 'PRODUCE' | 'CONSUME';

/** What a request needs: to append, to read and commit, or to change what there is. */
export type Right = 'produce' | 'consume' | 'administer';

export interface Grant {
  readonly permissions: Permissions;
  /** A topic's name, a beginning of names that ends in `*`, or `*` for all. */
  readonly topic: string;
}

/** Everything, everywhere. */
export const fullGrant: Grant = { permissions: 'ALL', topic: '*' };

/** Whether a topic is among those of a grant. */
export function covers({ topic: pattern }: Grant, topic: string): boolean {
  return pattern.endsWith('*') ? topic.startsWith(pattern.slice(0, -1)) : topic === pattern;
}

/** Whether a grant holds a right for a topic; for none (null): for any topic at all. */
export function permits(grant: Grant, right: Right, topic: string | null): boolean {
  if (topic !== null && !covers(grant, topic)) return false;
  switch (right) {
    case 'produce':
      return grant.permissions !== 'CONSUME';
    case 'consume':
      return grant.permissions !== 'PRODUCE';
    case 'administer':
      return grant.permissions === 'ALL' && grant.topic === '*';
  }
}

/** Whether a grant holds a right for every one of `topics`; for no topics: for any at all. */
export function permitsAll(grant: Grant, right: Right, topics: Iterable<string>): boolean {
  if (!permits(grant, right, null)) return false;
  if (grant.topic === '*') return true;
  for (const topic of topics) if (!covers(grant, topic)) return false;
  return true;
}
