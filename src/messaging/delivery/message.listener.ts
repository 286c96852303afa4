/** What durable message events mean beside the messages: payloads at hand, attempts counted. */
import type { Payloads } from '../../engine/payloads.js';
import type { EventListener } from '../../engine/subscribers.js';
import type { MessageEvent } from '../messages/message.events.js';
import type { AttemptEnd, AttemptMetrics } from './attempt.metrics.js';

const ends: Partial<Record<MessageEvent['type'], AttemptEnd>> = {
  MessageDelivered: 'delivered',
  AttemptFailed: 'retried',
  MessageFailed: 'failed',
};

/** Later ones are read back from the journal: memory follows the work in flight. */
const soonMs = 10_000;

/** Keeps what is about to be delivered in the cache, and counts how attempts ended. */
export function messageListener(
  payloads: Payloads,
  metrics: AttemptMetrics,
): EventListener<MessageEvent> {
  return (envelopes) => {
    for (const envelope of envelopes) {
      const { event } = envelope;
      if (event.type === 'MessagePublished' && event.notBefore - envelope.at < soonMs) {
        payloads.remember(envelope);
      }
      const end = ends[event.type];
      if (end !== undefined && 'durationMs' in event) {
        metrics.ended(end, event.durationMs / 1000);
      }
    }
  };
}
