/** The API object of a subscription. Absent values are left out, not null. */
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { templateFields } from '../../messaging/messages/message-object.js';
import type { MessageTargets } from '../../messaging/url-groups/message-targets.js';
import { damageText } from '../topics/damaged-records.js';
import type { SubscriptionState } from './subscription.machine.js';
import type { PartitionState } from './subscription-partition.decider.js';
import type { SubscriptionObject } from './subscriptions.openapi.js';

type PartitionObject = SubscriptionObject['partitions'][number];

/** Builds the object of a subscription; undefined if there is none. */
export function subscriptionObject(
  name: string,
  { value, context }: SubscriptionState,
  targets: MessageTargets,
  partitions: readonly PartitionObject[],
): SubscriptionObject | undefined {
  const { definition, createdAt } = context;
  if (definition === null) return undefined;
  const { topic, url, groupName, maxRecords, encoding, message } = definition;
  return {
    name,
    topic,
    destination: url ?? groupName ?? '',
    maxRecords,
    encoding,
    createdAt,
    isPaused: value === 'paused',
    ...(!targets.ok && { error: targets.message }),
    ...templateFields(message),
    lag: partitions.some(({ lag }) => lag === null)
      ? null
      : partitions.reduce((sum, { lag }) => sum + (lag ?? 0), 0),
    partitions,
  };
}

/**
 * Builds the object of a partition with its progress. `log` is undefined while it is being created,
 * and null for a past moment, for which its content is unknown.
 */
export function subscriptionPartitionObject(
  { topic, partition }: { readonly topic: string; readonly partition: number },
  state: NonNullable<PartitionState>,
  log: PartitionLog | undefined | null,
  isPending: (messageId: string) => boolean,
): PartitionObject {
  const { position, from } = state;
  const messageIds = state.messageIds.filter(isPending);
  const begin = Math.max(position, log?.startOffset ?? 0);
  const damage = log?.damages.find(({ from: first, until }) => first <= begin && begin < until);
  return {
    partition,
    position,
    lag: log === null ? null : Math.max(0, (log?.highWatermark ?? 0) - begin),
    ...(damage !== undefined && { error: damageText(topic, partition, damage) }),
    ...(messageIds.length > 0 && { inFlight: { from, until: position, messageIds } }),
  };
}
