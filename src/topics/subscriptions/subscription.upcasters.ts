/** How events written by older versions are read; events on disk are never rewritten. */
import type { SubscriptionDeleted } from './subscription.events.js';

/** The event of version 1, in which one cause had another name. */
interface DeletedVersion1 {
  readonly type: SubscriptionDeleted['type'];
  readonly cause: 'asked' | 'topicDeleted';
}

/** `SubscriptionDeleted`, version 1 to 2: the cause `asked` is now `request`, as for groups. */
export function liftDeletedToVersion2({ type, cause }: DeletedVersion1) {
  const deleted: SubscriptionDeleted = { type, cause: cause === 'asked' ? 'request' : cause };
  return deleted;
}
