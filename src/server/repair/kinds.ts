/** Every kind of stream that a journal holds, for a fold of it without a server. */
import type { Command, Decider, DomainEvent } from '../../engine/decider.js';
import { journalSweepDecider } from '../../engine/history/journal-sweep.decider.js';
import { memoryDigestDecider } from '../../engine/snapshots/memory-digest.decider.js';
import { deadLetterDecider } from '../../messaging/dead-letters/dead-letter.decider.js';
import { flowControlDecider } from '../../messaging/flow-control/flow-control.decider.js';
import { jobDecider } from '../../messaging/jobs/job.decider.js';
import { messageDecider } from '../../messaging/messages/message.decider.js';
import { originDecider } from '../../messaging/origins/origin.decider.js';
import { queueDecider } from '../../messaging/queues/queue.decider.js';
import { scheduleDecider } from '../../messaging/schedules/schedule.decider.js';
import { signingKeysDecider } from '../../messaging/signing-keys/signing-keys.decider.js';
import { urlGroupDecider } from '../../messaging/url-groups/url-group.decider.js';
import { restCredentialDecider } from '../../topics/credentials/rest-credential.decider.js';
import { consumerDecider } from '../../topics/groups/consumer.decider.js';
import { consumerGroupDecider } from '../../topics/groups/consumer-group.decider.js';
import { subscriptionDecider } from '../../topics/subscriptions/subscription.decider.js';
import { partitionDecider } from '../../topics/subscriptions/subscription-partition.decider.js';
import { topicDecider } from '../../topics/topics/topic.decider.js';
import { failedRunDecider } from '../../workflows/failed-runs/failed-run.decider.js';
import { runDecider } from '../../workflows/runs/run.decider.js';
import { refusalRecordDecider } from '../refusals/refusal-record.decider.js';
import { revealDecider } from '../reveals/reveal.decider.js';
import { tokenDecider } from '../tokens/token.decider.js';

/** One of any kind: states and events pass through. */
type AnyDecider = Decider<unknown, Command, DomainEvent>;

/** The deciders of all kinds, in no order. */
export const deciders: readonly AnyDecider[] = [
  messageDecider,
  flowControlDecider,
  queueDecider,
  scheduleDecider,
  signingKeysDecider,
  urlGroupDecider,
  deadLetterDecider,
  jobDecider,
  originDecider,
  runDecider,
  failedRunDecider,
  restCredentialDecider,
  topicDecider,
  consumerDecider,
  // How long an empty group is kept says nothing about its events.
  consumerGroupDecider(0),
  subscriptionDecider,
  partitionDecider,
  journalSweepDecider,
  memoryDigestDecider,
  tokenDecider,
  refusalRecordDecider,
  revealDecider,
] as readonly unknown[] as readonly AnyDecider[];
