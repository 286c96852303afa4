import { Registry } from 'prom-client';
import type { EventEnvelope } from '../../../src/engine/decider.js';
import { Payloads } from '../../../src/engine/payloads.js';
import { AttemptMetrics } from '../../../src/messaging/delivery/attempt.metrics.js';
import { messageListener } from '../../../src/messaging/delivery/message.listener.js';
import type {
  AttemptRecord,
  MessageEvent,
} from '../../../src/messaging/messages/message.events.js';
import { type EngineOnDisk, openEngine } from '../../support/engine.js';
import { envelope } from '../../support/envelope.js';
import { epochMs } from '../../support/given.js';
import { messageOptions } from '../../support/message-options.js';

let opened: EngineOnDisk;
let registry: Registry;
let payloads: Payloads;

beforeAll(async () => {
  opened = await openEngine(() => undefined);
});
afterAll(() => opened.close());

beforeEach(() => {
  registry = new Registry();
  payloads = new Payloads(opened.journal, 1024 * 1024);
});

const happen = (...envelopes: EventEnvelope<MessageEvent>[]) =>
  messageListener(payloads, new AttemptMetrics(registry))(envelopes);
const published = (offset: number, delayMs: number) => {
  const options = messageOptions({ notBefore: epochMs + delayMs });
  const event: MessageEvent = { type: 'MessagePublished', ...options };
  return envelope(event, { offset, body: Buffer.from('x') });
};
const record: AttemptRecord = {
  attempt: 0,
  startedAt: epochMs,
  durationMs: 250,
  status: 500,
  headers: [],
  error: null,
};

describe('a message that is published', () => {
  it('is at hand where it is delivered soon', () => {
    const soon = published(900, 0);
    happen(soon, published(901, 9_999));
    expect(payloads.read(900)).toBe(soon);
    expect(payloads.read(901)).not.toBeInstanceOf(Promise);
  });

  it('takes no memory where it is delivered later', async () => {
    happen(published(900, 10_000));
    // This journal never had it.
    await expect(Promise.resolve(payloads.read(900))).rejects.toThrow('offset 900');
  });
});

describe('an attempt that has ended', () => {
  const ends: MessageEvent[] = [
    { type: 'MessageDelivered', ...record, status: 200 },
    { type: 'AttemptFailed', ...record, retryAt: epochMs },
    { type: 'AttemptFailed', ...record, retryAt: epochMs },
    { type: 'MessageFailed', ...record, cause: 'exhausted' },
  ];

  it('is counted by how it ended, with what it took in seconds', async () => {
    happen(...ends.map((event) => envelope(event)));
    const text = await registry.metrics();
    expect(text).toContain('stepwell_attempts_total{outcome="delivered"} 1');
    expect(text).toContain('stepwell_attempts_total{outcome="retried"} 2');
    expect(text).toContain('stepwell_attempts_total{outcome="failed"} 1');
  });

  it('is none where a message was taken back or completed', async () => {
    happen(
      envelope<MessageEvent>({ type: 'MessageCanceled' }),
      envelope<MessageEvent>({ type: 'MessageCompleted' }),
    );
    expect(await registry.metrics()).not.toMatch(/attempts_total\{[^}]*\} [1-9]/);
  });
});
