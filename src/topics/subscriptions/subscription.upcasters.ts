/** How events that older versions wrote are read; what is on disk is never rewritten. */
import type { SubscriptionDeleted } from './subscription.events.js';

/** What version 1 said: one word is another today. */
interface DeletedVersion1 {
  readonly type: SubscriptionDeleted['type'];
  readonly cause: 'asked' | 'topicDeleted';
}

/** `SubscriptionDeleted`, version 1 to 2: a request is called one, as for groups. */
export function liftDeletedToVersion2({ type, cause }: DeletedVersion1) {
  const deleted: SubscriptionDeleted = { type, cause: cause === 'asked' ? 'request' : cause };
  return deleted;
}
