import type { EventEnvelope } from '../../../src/engine/decider.js';
import { Payloads } from '../../../src/engine/payloads.js';
import { MessageContents } from '../../../src/messaging/delivery/message-contents.js';
import type {
  MessageEvent,
  MessagePublished,
} from '../../../src/messaging/messages/message.events.js';
import { redacted } from '../../../src/messaging/messages/redaction.js';
import { StoredMessages } from '../../../src/messaging/messages/stored-messages.js';
import { RunArchive } from '../../../src/workflows/deliveries/run-archive.js';
import { RunEntries } from '../../../src/workflows/deliveries/run-entries.js';
import { type EngineOnDisk, openEngine } from '../../support/engine.js';
import { envelope } from '../../support/envelope.js';
import { messageOptions } from '../../support/message-options.js';
import { noRuns } from '../../support/workflows/no-runs.js';

type Published = EventEnvelope<MessagePublished>;

const publishedAt = (
  offset: number,
  body: Buffer | null,
  changes: Partial<MessagePublished> = {},
): Published =>
  envelope({ ...messageOptions(), ...changes, type: 'MessagePublished' }, { offset, body });

const attemptAt = (offset: number, body: Buffer): EventEnvelope<MessageEvent> =>
  envelope<MessageEvent>(
    {
      type: 'MessageDelivered',
      attempt: 0,
      startedAt: 0,
      durationMs: 1,
      status: 200,
      headers: [],
      error: null,
    },
    { offset, body },
  );

let opened: EngineOnDisk;

beforeAll(async () => {
  opened = await openEngine(() => undefined);
});

afterAll(() => opened.close());

/** Reads bodies while these events are cached. */
function contentsOver(...events: readonly EventEnvelope[]): MessageContents {
  const payloads = new Payloads(opened.journal, 1024 * 1024);
  for (const event of events) payloads.remember(event);
  const archive = new RunArchive(opened.journal, payloads);
  const runs = new RunEntries(noRuns, archive);
  return new MessageContents(payloads, new StoredMessages(payloads), runs);
}

const callbackOf = {
  kind: 'callback' as const,
  messageId: 'msg_1',
  publishedOffset: 3,
  attemptOffset: 4,
  dlqId: null,
};

describe('the body of a message', () => {
  it('is read synchronously if it is stored beside the event', () => {
    const body = Buffer.from('own');
    expect(contentsOver().read(publishedAt(1, body))).toBe(body);
    expect(contentsOver().read(publishedAt(1, null))).toBeNull();
  });

  it('is read from the event whose body it shares', async () => {
    const first = publishedAt(1, Buffer.from('shared'));
    const second = publishedAt(2, null, { bodyOffset: 1 });
    expect(String(await contentsOver(first).read(second))).toBe('shared');
  });

  it('is composed from the message and its attempt for a callback', async () => {
    const origin = publishedAt(2, Buffer.from('sent'));
    const source = publishedAt(3, null, { bodyOffset: 2 });
    const contents = contentsOver(origin, source, attemptAt(4, Buffer.from('answer')));
    const body = await contents.read(publishedAt(5, null, { callbackOf }));
    expect(JSON.parse(String(body))).toMatchObject({
      sourceBody: Buffer.from('sent').toString('base64'),
      body: Buffer.from('answer').toString('base64'),
    });
  });
});

describe('a body that is shown', () => {
  const redaction = { body: true, headers: [] };

  it('is hidden if its message asks for that, wherever it is stored', async () => {
    const first = publishedAt(1, Buffer.from('shared'));
    const hiding = publishedAt(2, null, { bodyOffset: 1, redaction });
    expect(String(await contentsOver(first).readShown(hiding))).toBe(redacted('shared'));
    expect(String(await contentsOver().readShown(first))).toBe('shared');
  });

  it.each([
    ['the body', redaction],
    ['a header', { body: false, headers: ['authorization'] }],
  ])('is hidden for a callback whose source hides %s', async (_what, hidden) => {
    const source = publishedAt(3, Buffer.from('secret'), { redaction: hidden });
    const contents = contentsOver(source, attemptAt(4, Buffer.from('answer')));
    const callback = publishedAt(5, null, { callbackOf });
    expect(String(await contents.readShown(callback))).toMatch(/^REDACTED:[0-9a-f]{64}$/);
    expect(String(await contents.read(callback))).toContain(
      Buffer.from('secret').toString('base64'),
    );
  });

  it('is shown for a callback if neither it nor its source hides anything', async () => {
    const contents = contentsOver(publishedAt(3, Buffer.from('x')), attemptAt(4, Buffer.from('y')));
    expect(String(await contents.readShown(publishedAt(5, null, { callbackOf })))).toContain(
      'status',
    );
  });
});
