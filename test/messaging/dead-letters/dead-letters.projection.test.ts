import type { Command } from '../../../src/engine/decider.js';
import { DeadLetters } from '../../../src/messaging/dead-letters/dead-letter.entity.js';
import { Messages } from '../../../src/messaging/messages/message.entity.js';
import type { RunPlace } from '../../../src/messaging/messages/message.events.js';
import { type EngineOnDisk, openEngine } from '../../support/engine.js';
import { epochMs } from '../../support/given.js';
import { messageOptions } from '../../support/message-options.js';
import { forget } from '../../support/swept-history.js';
import { runPlace } from '../../support/workflows/run-place.js';

const retentionMs = 60_000;

interface Opened extends EngineOnDisk {
  readonly letters: DeadLetters['letters'];
}

async function open(directory?: string): Promise<Opened> {
  let deadLetters: DeadLetters | undefined;
  const opened = await openEngine((engine) => {
    deadLetters = new DeadLetters(engine, new Messages(engine), {
      deadLetterRetentionMs: retentionMs,
    });
    engine.carry('callEndpoint', { start: () => () => undefined });
  }, directory);
  if (deadLetters === undefined) throw new Error('dead letters are not registered');
  return { ...opened, letters: deadLetters.letters };
}

const publish = (id: string, at = epochMs, run: RunPlace | null = null) => ({
  type: 'PublishMessage',
  kind: 'message',
  id,
  at,
  message: messageOptions({ maxRetries: 0, run }),
  body: Buffer.from(id),
  sharesBodyWith: null,
});
const record = (id: string, status: number, at = epochMs) => ({
  type: 'RecordAttempt',
  kind: 'message',
  id,
  at,
  record: { attempt: 0, startedAt: at, durationMs: 1, status, headers: [], error: null },
  nonRetryable: false,
  responseBody: Buffer.alloc(0),
  terms: [],
});
const ofLetter = (type: string, id: string, at = epochMs) => ({
  type,
  kind: 'dead-letter',
  id,
  at,
  messageId: 'msg_again',
});
const dispatch = ({ engine }: Opened, ...commands: Command[]) => engine.dispatch(commands);

/** A message that was published and failed with this status. */
async function fail(opened: Opened, id: string, status = 500, at = epochMs): Promise<string> {
  await dispatch(opened, publish(id, at), record(id, status, at));
  return opened.letters.all(at).find(({ messageId }) => messageId === id)?.id ?? 'none';
}

describe('dead letters', () => {
  let opened: Opened;

  beforeEach(async () => {
    opened = await open();
  });

  afterEach(() => opened.close());

  const messageIds = (at = epochMs) => opened.letters.all(at).map(({ messageId }) => messageId);

  it('are the messages that failed for good, in the order of their failures', async () => {
    await dispatch(opened, publish('a'), publish('b'), publish('c'), publish('d'));
    await dispatch(opened, record('c', 404), record('b', 204), record('a', 0));
    await dispatch(opened, {
      type: 'CancelMessage',
      kind: 'message',
      id: 'd',
      at: epochMs,
      terms: [],
    } as Command);
    expect(messageIds()).toEqual(['c', 'a']);
  });

  it('know the journal offsets of the message and of its failure', async () => {
    const id = await fail(opened, 'a', 418, epochMs + 5);
    const letter = opened.letters.find(id, epochMs + 5);
    expect(letter).toEqual({
      id: `${epochMs + 5}-${letter?.offset}s00`,
      messageId: 'a',
      at: epochMs + 5,
      offset: expect.any(Number),
      publishedOffset: expect.any(Number),
      responseStatus: 418,
    });
    const { journal } = opened;
    expect(await journal.read(letter?.publishedOffset ?? -1)).toMatchObject({
      id: 'a',
      event: { type: 'MessagePublished' },
    });
    expect(await journal.read(letter?.offset ?? -1)).toMatchObject({
      id: 'a',
      event: { type: 'MessageFailed' },
    });
  });

  it('do not include messages of a run, which has its own letter', async () => {
    const run = runPlace({ role: 'failureCallback' });
    await dispatch(opened, publish('a', epochMs, run), record('a', 500));
    expect(messageIds()).toEqual([]);
  });

  it('are removed once when they are deleted or retried', async () => {
    const [first, second] = [await fail(opened, 'a'), await fail(opened, 'b')];
    const outcomes = await dispatch(
      opened,
      ofLetter('DeleteDeadLetter', first),
      ofLetter('RetryDeadLetter', first),
      ofLetter('RetryDeadLetter', second),
      ofLetter('DeleteDeadLetter', second),
    );
    expect(outcomes.map(({ ok: accepted }) => accepted)).toEqual([true, false, true, false]);
    expect(messageIds()).toEqual([]);
  });

  it('expire after the retention, both for decisions and for readers', async () => {
    const id = await fail(opened, 'a');
    expect(opened.letters.find(id, epochMs + retentionMs - 1)).toBeDefined();
    expect(opened.letters.find(id, epochMs + retentionMs)).toBeUndefined();
    expect(messageIds(epochMs + retentionMs)).toEqual([]);
    const late = ofLetter('DeleteDeadLetter', id, epochMs + retentionMs);
    expect(await dispatch(opened, late)).toMatchObject([{ ok: false }]);
  });

  it('leave memory only when they have expired', async () => {
    await fail(opened, 'a');
    await fail(opened, 'b', 500, epochMs + 1);
    forget(opened.letters.memory('letters'), epochMs + retentionMs);
    expect(opened.letters.size).toBe(1);
    expect(messageIds(epochMs)).toEqual(['b']);
  });

  it('stay if another message fails while the clock is briefly ahead', async () => {
    const id = await fail(opened, 'a');
    await fail(opened, 'b', 500, epochMs + 1000 * retentionMs);
    expect(opened.letters.find(id, epochMs + 1)).toBeDefined();
    expect(messageIds(epochMs + 1)).toEqual(['a', 'b']);
  });

  it('are complete and in order after a turn was rolled back', async () => {
    const first = await fail(opened, 'a');
    await fail(opened, 'b');
    const refused = await opened.engine.dispatchTogether([
      ofLetter('DeleteDeadLetter', first),
      ofLetter('DeleteDeadLetter', 'no-letter'),
    ]);
    expect(refused).toMatchObject([{ ok: false }, { ok: false }]);
    expect(messageIds()).toEqual(['a', 'b']);
  });

  it('are the same after a restart', async () => {
    await fail(opened, 'a', 404);
    await dispatch(opened, ofLetter('DeleteDeadLetter', await fail(opened, 'b')));
    await dispatch(opened, ofLetter('RetryDeadLetter', await fail(opened, 'c')));
    await fail(opened, 'd', 0);
    const before = opened.letters.all(epochMs);
    await opened.close();
    opened = await open(opened.directory);
    expect(before).toHaveLength(2);
    expect(opened.letters.all(epochMs)).toEqual(before);
  });
});
