/** What a credential of the log interface may do, and with which topics (topics.md 1.5). */
import type { Role } from './bearer-token.js';

/** The permissions that a credential can name. */
export type Permissions = 'ALL' | 'PRODUCE' | 'CONSUME';

/** The permissions of a bearer token's role: to change nothing, or everything but `/admin`. */
type RolePermissions = 'READ' | 'OPERATE';

/**
 * The right that a request needs: to append; to read without moving anything; to read in a group;
 * to inspect; to change things.
 */
export type Right = 'produce' | 'read' | 'consume' | 'inspect' | 'administer';

/** What one credential grants: one kind of permission, for all topics that match one pattern. */
export interface Grant<Kind = Permissions> {
  readonly permissions: Kind;
  /** The name of a topic, a prefix of names that ends in `*`, or `*` for all. */
  readonly topic: string;
}

/** What a credential, or the role of a bearer token, permits. */
export type Access = Grant<Permissions | RolePermissions>;

/** Everything, everywhere. */
export const fullGrant: Grant = { permissions: 'ALL', topic: '*' };

/** What bearer tokens may do in the log interface. */
export const accessOfRole: Readonly<Record<Role, Access>> = {
  read: { permissions: 'READ', topic: '*' },
  operate: { permissions: 'OPERATE', topic: '*' },
  admin: fullGrant,
};

/** Whether a grant covers a topic. */
export function covers({ topic: pattern }: Access, topic: string): boolean {
  return pattern.endsWith('*') ? topic.startsWith(pattern.slice(0, -1)) : topic === pattern;
}

/** Whether a grant includes a right for a topic; null = for any topic at all. */
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

/** Whether a grant includes a right for each of `topics`; without topics, for any topic at all. */
export function permitsAll(grant: Access, right: Right, topics: Iterable<string>): boolean {
  if (!permits(grant, right, null)) return false;
  if (grant.topic === '*') return true;
  for (const topic of topics) if (!covers(grant, topic)) return false;
  return true;
}
