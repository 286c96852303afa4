/** What a credential of the log interface may do, and with which topics (topics.md 1.5). */
import type { Role } from './bearer-token.js';

/** As a credential names what it permits. */
export type Permissions = 'ALL' | 'PRODUCE' | 'CONSUME';

/** What the role of a bearer token permits: nothing is to change, or all but `/admin`. */
type RolePermissions = 'READ' | 'OPERATE';

/**
 * What a request needs: to append; to read without moving anything; to read in a group; to look at
 * what there is; to change what there is.
 */
export type Right = 'produce' | 'read' | 'consume' | 'inspect' | 'administer';

/** What one credential has: one kind of rights, for all topics that one pattern means. */
export interface Grant<Kind = Permissions> {
  readonly permissions: Kind;
  /** A topic's name, a beginning of names that ends in `*`, or `*` for all. */
  readonly topic: string;
}

/** What a credential permits, or the role of a bearer token. */
export type Access = Grant<Permissions | RolePermissions>;

/** Everything, everywhere. */
export const fullGrant: Grant = { permissions: 'ALL', topic: '*' };

/** What bearer tokens may do in the log interface. */
export const accessOfRole: Readonly<Record<Role, Access>> = {
  read: { permissions: 'READ', topic: '*' },
  operate: { permissions: 'OPERATE', topic: '*' },
  admin: fullGrant,
};

/** Whether a topic is among those of a grant. */
export function covers({ topic: pattern }: Access, topic: string): boolean {
  return pattern.endsWith('*') ? topic.startsWith(pattern.slice(0, -1)) : topic === pattern;
}

/** Whether a grant holds a right for a topic; for none (null): for any topic at all. */
export function permits(grant: Access, right: Right, topic: string | null): boolean {
  if (topic !== null && !covers(grant, topic)) return false;
  const { permissions } = grant;
  const isFull = permissions === 'ALL' && grant.topic === '*';
  switch (right) {
    case 'produce':
      return permissions !== 'CONSUME' && permissions !== 'READ';
    case 'read':
      return permissions !== 'PRODUCE';
    case 'consume':
      return permissions !== 'PRODUCE' && permissions !== 'READ';
    case 'inspect':
      return isFull || permissions === 'READ' || permissions === 'OPERATE';
    case 'administer':
      return isFull;
  }
}

/** Whether a grant holds a right for every one of `topics`; for no topics: for any at all. */
export function permitsAll(grant: Access, right: Right, topics: Iterable<string>): boolean {
  if (!permits(grant, right, null)) return false;
  if (grant.topic === '*') return true;
  for (const topic of topics) if (!covers(grant, topic)) return false;
  return true;
}
