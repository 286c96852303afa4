/** Commands of consumer groups as tests ask them: what is not said is usual. */

import { fullGrant } from '../../src/http/identity/grant.js';
import type { ConsumerSettings } from '../../src/topics/groups/consumer.events.js';
import type { JoinGroup } from '../../src/topics/groups/consumer-group.commands.js';
import { consumerGroupKind } from '../../src/topics/groups/consumer-group.events.js';

export const consumerSettings = (chosen: Partial<ConsumerSettings> = {}): ConsumerSettings => ({
  autoCommit: true,
  autoCommitIntervalMs: 5000,
  offsetReset: 'latest',
  sessionTimeoutMs: 120_000,
  ...chosen,
});

export const joinGroup = (instance: string, chosen: Partial<JoinGroup> = {}): JoinGroup => ({
  type: 'JoinGroup',
  kind: consumerGroupKind,
  id: 'it',
  at: 1_767_000_060_000,
  instance,
  topics: ['rides'],
  settings: consumerSettings(),
  grant: fullGrant,
  strategy: null,
  ...chosen,
});
