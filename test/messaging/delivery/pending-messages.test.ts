import fc from 'fast-check';
import type { CancelFilters } from '../../../src/messaging/delivery/cancel.request.js';
import { PendingMessages } from '../../../src/messaging/delivery/pending-messages.js';
import type { PublishMessage } from '../../../src/messaging/messages/message.commands.js';
import { messageKind } from '../../../src/messaging/messages/message.events.js';
import { matchesOrigin } from '../../../src/messaging/messages/message-filter.js';
import { StoredMessages } from '../../../src/messaging/messages/stored-messages.js';
import { epochMs } from '../../support/given.js';
import { ManualClock } from '../../support/manual-clock.js';
import { messageOptions } from '../../support/message-options.js';
import { anyOrigin } from '../../support/origin-filters.js';
import { openRunEngine, type RunEngine } from '../../support/workflows/run-engine.js';

let opened: RunEngine;
let messages: PendingMessages;

beforeEach(async () => {
  opened = await openRunEngine();
  const { engine, journal, payloads } = opened;
  const stored = new StoredMessages(payloads);
  messages = new PendingMessages(engine, opened.messages, stored, journal, new ManualClock());
});
afterEach(() => opened.close());

const anything: CancelFilters = {
  ...anyOrigin,
  host: null,
  path: null,
  messageIds: null,
  count: Number.POSITIVE_INFINITY,
};

let published = 0;
const publication = (changes: Parameters<typeof messageOptions>[0] = {}): PublishMessage => ({
  type: 'PublishMessage',
  kind: messageKind,
  id: `msg_${published++}`,
  at: epochMs,
  body: Buffer.from('x'),
  sharesBodyWith: null,
  message: messageOptions({ notBefore: epochMs, ...changes }),
});
const publish = async (changes: Parameters<typeof messageOptions>[0] = {}) => {
  const command = publication(changes);
  await opened.ask(command);
  return command.id;
};
const isPending = (id: string) => opened.messages.pending(id) !== undefined;

describe('a message', () => {
  it('is found with its published options while it is pending', async () => {
    const id = await publish({ labels: ['blue'] });
    const offset = (await messages.offsetOf(id)) ?? -1;
    const published = await new StoredMessages(opened.payloads).published(offset);
    expect(published).toMatchObject({ id, event: { labels: ['blue'] } });
    await opened.attempted(id, 200);
    expect(await messages.offsetOf(id)).toBeNull();
    expect(isPending(id)).toBe(false);
    expect(await messages.offsetOf('msg_never')).toBeNull();
  });

  it('is still pending after a failed attempt, and is found as before', async () => {
    const id = await publish({ labels: ['blue'] });
    // The index also finds the attempt.
    await opened.attempted(id, 500, { terms: ['label:blue'] });
    expect(opened.messages.pending(id)).toMatchObject({ attempts: 1 });
    expect(await messages.cancelMatching({ ...anything, label: ['blue'] }, null)).toBe(1);
  });

  const byItself = (id: string) => messages.cancel(id, null);
  const withOthers = () => messages.cancelMatching(anything, null);

  it.each([
    ['by itself', byItself],
    ['with all others', withOthers],
  ])('is canceled %s, and the cancel is found by its published options', async (_, cancel) => {
    const id = await publish({ labels: ['blue'] });
    const from = opened.journal.endOffset;
    await cancel(id);
    const query = { terms: [['label:blue']], from, until: opened.journal.endOffset };
    const found: string[] = [];
    for await (const { event } of opened.journal.query({ ...query, order: 'oldest' })) {
      found.push(event.type);
    }
    expect(found).toEqual(['MessageCanceled']);
  });

  it('is canceled only once, and only if it exists', async () => {
    const id = await publish();
    expect(await messages.cancel(id, null)).toMatchObject({ ok: true });
    const gone = { ok: false, code: 'not_found' };
    expect(await messages.cancel(id, null)).toMatchObject(gone);
    expect(await messages.cancel('msg_never', null)).toMatchObject(gone);
  });
});

describe('a bulk cancel', () => {
  const urls = ['https://a.example/x', 'https://b.example/x'];
  const shapes = fc.record({
    url: fc.constantFrom(...urls),
    labels: fc.subarray(['blue', 'green']),
    topicName: fc.constantFrom(null, 'group'),
    queueName: fc.constantFrom(null, 'line'),
    scheduleId: fc.constantFrom(null, 'scd'),
    key: fc.constantFrom(null, 'k', 'l'),
    callerIp: fc.constantFrom('10.0.0.1', '::1'),
  });
  /** Usually null, so that queries often match something. */
  const rarely = <Value>(value: fc.Arbitrary<Value>) =>
    fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
  const some = (...words: string[]) => rarely(fc.subarray(words, { minLength: 1 }));
  /** `named` are indexes into the published messages. */
  const questions = fc.record({
    url: some(...urls),
    host: some('a.example'),
    label: some('blue', 'green'),
    topicName: some('group'),
    queueName: some('line'),
    scheduleId: some('scd'),
    flowControlKey: some('k', 'l'),
    callerIp: some('10.0.0.1', '::1'),
    named: rarely(fc.array(fc.nat(20), { minLength: 1 })),
  });

  it('cancels all matching messages and no others, however it searches', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(shapes, { maxLength: 20 }), questions, async (all, filter) => {
        const { named, ...filters } = filter;
        const commands = all.map(({ key, ...changes }) => {
          const limits = { parallelism: null, rate: 1, periodSeconds: 1 };
          const flowControl = key === null ? null : { key, ...limits };
          return publication({ ...changes, flowControl });
        });
        await opened.engine.dispatch(commands);
        const messageIds = named?.map((place) => commands[place]?.id ?? 'msg_never') ?? null;
        const selected = { ...anything, ...filters, messageIds };
        const left = commands.filter(
          ({ id, message }) =>
            messageIds?.includes(id) === false || !matchesOrigin(message, epochMs, selected),
        );
        expect(await messages.cancelMatching(selected, null)).toBe(commands.length - left.length);
        expect(commands.map(({ id }) => id).filter(isPending)).toEqual(left.map(({ id }) => id));
        expect(await messages.cancelMatching(anything, null)).toBe(left.length);
      }),
      { numRuns: 60 },
    );
  });

  it('cancels up to its limit, in as many turns as necessary', async () => {
    const commands = Array.from({ length: 600 }, () => publication());
    await opened.engine.dispatch(commands.slice(0, 250));
    await opened.engine.dispatch(commands.slice(250, 500));
    await opened.engine.dispatch(commands.slice(500));
    expect(await messages.cancelMatching({ ...anything, count: 300 }, null)).toBe(300);
    expect(commands.filter(({ id }) => isPending(id))).toHaveLength(300);
  });

  it('does not touch messages published during the search', async () => {
    const before = await publish();
    const canceling = messages.cancelMatching(anything, null);
    const later = publication();
    const publishing = opened.ask(later);
    expect(await canceling).toBe(1);
    await publishing;
    expect([isPending(before), isPending(later.id)]).toEqual([false, true]);
  });
});
