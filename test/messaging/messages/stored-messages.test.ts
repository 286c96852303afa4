import { Payloads } from '../../../src/engine/payloads.js';
import type { MessageEvent } from '../../../src/messaging/messages/message.events.js';
import { StoredMessages } from '../../../src/messaging/messages/stored-messages.js';
import { type EngineOnDisk, openEngine } from '../../support/engine.js';
import { envelope } from '../../support/envelope.js';
import { epochMs } from '../../support/given.js';
import { callbackOptions, messageOptions } from '../../support/message-options.js';

let opened: EngineOnDisk;
let payloads: Payloads;

beforeAll(async () => {
  opened = await openEngine(() => undefined);
});
afterAll(() => opened.close());

beforeEach(() => {
  payloads = new Payloads(opened.journal, 1024 * 1024);
});

const published = (offset: number, delayMs: number) => {
  const options = messageOptions({ notBefore: epochMs + delayMs });
  const event: MessageEvent = { type: 'MessagePublished', ...options };
  return envelope(event, { offset, body: Buffer.from('x') });
};

describe('a message that is published', () => {
  it('is cached if it is delivered soon', () => {
    const soon = published(900, 0);
    new StoredMessages(payloads).listener([soon, published(901, 9_999)]);
    expect(payloads.read(900)).toBe(soon);
    expect(payloads.read(901)).not.toBeInstanceOf(Promise);
  });

  it('takes no memory if it is delivered later', async () => {
    new StoredMessages(payloads).listener([published(900, 10_000)]);
    // This journal never contained the message.
    await expect(Promise.resolve(payloads.read(900))).rejects.toThrow('offset 900');
  });
});

describe('a message that was delivered', () => {
  const delivered = (previous: number) => {
    const times = { startedAt: epochMs, durationMs: 1 };
    const answer = { status: 200, headers: [], error: null };
    const event: MessageEvent = { type: 'MessageDelivered', attempt: 0, ...times, ...answer };
    return envelope(event, { offset: 901, sequence: 1, previous });
  };
  const keeps = (changes: Parameters<typeof messageOptions>[0]) => {
    const event: MessageEvent = { type: 'MessagePublished', ...messageOptions(changes) };
    const kept = envelope(event, { offset: 900, body: Buffer.from('x') });
    const { listener } = new StoredMessages(payloads);
    listener([kept]);
    listener([delivered(900)]);
    return payloads.peek(900) === kept;
  };

  it('no longer takes memory', () => {
    expect(keeps({})).toBe(false);
  });

  it('is kept for its callback and for messages that share its body', () => {
    expect(keeps({ callback: callbackOptions() })).toBe(true);
    expect(keeps({ topicName: 'group' })).toBe(true);
  });

  it('is kept if it failed', () => {
    expect(new StoredMessages(payloads).interest.types).not.toHaveProperty('MessageFailed');
  });

  it('drops no other event from the cache', () => {
    const failed = envelope<MessageEvent>({ type: 'MessageCanceled' }, { offset: 900 });
    payloads.remember(failed);
    new StoredMessages(payloads).listener([delivered(900)]);
    expect(payloads.peek(900)).toBe(failed);
  });
});
