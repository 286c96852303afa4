import { Payloads } from '../../../src/engine/payloads.js';
import type { MessageEvent } from '../../../src/messaging/messages/message.events.js';
import { StoredMessages } from '../../../src/messaging/messages/stored-messages.js';
import { type EngineOnDisk, openEngine } from '../../support/engine.js';
import { envelope } from '../../support/envelope.js';
import { epochMs } from '../../support/given.js';
import { messageOptions } from '../../support/message-options.js';

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
  it('is cached where it is delivered soon', () => {
    const soon = published(900, 0);
    new StoredMessages(payloads).listener([soon, published(901, 9_999)]);
    expect(payloads.read(900)).toBe(soon);
    expect(payloads.read(901)).not.toBeInstanceOf(Promise);
  });

  it('takes no memory where it is delivered later', async () => {
    new StoredMessages(payloads).listener([published(900, 10_000)]);
    // This journal never had it.
    await expect(Promise.resolve(payloads.read(900))).rejects.toThrow('offset 900');
  });
});
