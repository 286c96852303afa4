import { Registry } from 'prom-client';
import { AttemptMetrics } from '../../../src/messaging/delivery/attempt.metrics.js';
import type {
  AttemptRecord,
  MessageEvent,
} from '../../../src/messaging/messages/message.events.js';
import { envelope } from '../../support/envelope.js';
import { epochMs } from '../../support/given.js';

const record: AttemptRecord = {
  attempt: 0,
  startedAt: epochMs,
  durationMs: 250,
  status: 500,
  headers: [],
  error: null,
};

it('an attempt is counted by outcome, with its duration in seconds', async () => {
  const registry = new Registry();
  const ends: MessageEvent[] = [
    { type: 'MessageDelivered', ...record, status: 200 },
    { type: 'AttemptFailed', ...record, retryAt: epochMs },
    { type: 'AttemptFailed', ...record, retryAt: epochMs },
    { type: 'MessageFailed', ...record, cause: 'exhausted' },
    { type: 'MessageCanceled' },
    { type: 'MessageCompleted' },
  ];
  new AttemptMetrics(registry).listener(ends.map((event) => envelope(event)));
  const text = await registry.metrics();
  expect(text).toContain('stepwell_attempts_total{outcome="delivered"} 1');
  expect(text).toContain('stepwell_attempts_total{outcome="retried"} 2');
  expect(text).toContain('stepwell_attempts_total{outcome="failed"} 1');
  expect(text).toContain('stepwell_attempt_seconds_count 4');
  expect(text).toContain('stepwell_attempt_seconds_sum 1');
});
