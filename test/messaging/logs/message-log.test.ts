import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import fc from 'fast-check';
import type { EventEnvelope } from '../../../src/engine/decider.js';
import { parseCursor } from '../../../src/messaging/logs/log-cursor.js';
import type { LogRow } from '../../../src/messaging/logs/log-row.js';
import type { LogQuery } from '../../../src/messaging/logs/logs.request.js';
import { MessageLog } from '../../../src/messaging/logs/message-log.js';
import { type EngineOnDisk } from '../../support/engine.js';
import { ManualClock } from '../../support/manual-clock.js';
import { anyOrigin } from '../../support/origin-filters.js';
import {
  history,
  type ListedRow,
  listed,
  live,
  question,
  type Step,
  startedMs,
} from './log-history.js';
import { open, type Reading, sourceOver } from './log-source.js';

const runs = 20 * Number(process.env['STEPWELL_TEST_ROUNDS'] ?? 1);

const logOver = (opened: EngineOnDisk, reading?: Reading) =>
  new MessageLog(sourceOver(opened, reading));

const listedRow = ({ messageId, state, time }: LogRow): ListedRow => [messageId, state, time];

async function eventsIn({ journal }: EngineOnDisk): Promise<EventEnvelope[]> {
  const events: EventEnvelope[] = [];
  for await (const part of journal.replay()) events.push(...part);
  return events;
}

/** Page after page until there is no cursor; between two pages `turnPage` may change the log. */
async function walk(
  firstLog: MessageLog,
  query: LogQuery,
  turnPage: (log: MessageLog) => Promise<MessageLog> = async (log) => log,
): Promise<LogRow[]> {
  const rows: LogRow[] = [];
  let log = firstLog;
  let { cursor } = query;
  for (let pages = 0; pages < 1000; pages += 1) {
    const page = await log.page({ ...query, cursor });
    expect(page.rows.length).toBeLessThanOrEqual(query.count);
    rows.push(...page.rows);
    if (page.cursor === null) return rows;
    const parsed = parseCursor(page.cursor);
    if (!parsed.ok) throw new Error(`a cursor of its own is refused: ${page.cursor}`);
    cursor = parsed.value;
    log = await turnPage(log);
  }
  throw new Error('the listing does not end');
}

const everything: LogQuery = {
  ...anyOrigin,
  messageIds: null,
  contains: null,
  trimBody: null,
  states: null,
  host: null,
  path: null,
  count: 100,
  order: 'latestFirst',
  cursor: null,
};

describe('the log of messages', () => {
  it('lists in pages the same as the simplest listing, for any query', async () => {
    const questions = fc.array(fc.tuple(question, fc.integer({ min: 1, max: 40 })), {
      minLength: 25,
      maxLength: 25,
    });
    await fc.assert(
      fc.asyncProperty(history, questions, async (steps, pages) => {
        const opened = await open();
        try {
          const running = await live(opened.engine, steps);
          const events = await eventsIn(opened);
          for (const [query, eventsPerPage] of pages) {
            const rows = await walk(logOver(opened, { running, eventsPerPage }), query);
            expect(rows.map(listedRow)).toEqual(listed(events, running, query));
          }
        } finally {
          await opened.close();
          await rm(dirname(opened.directory), { recursive: true });
        }
      }),
      { numRuns: runs },
    );
  }, 120_000);

  it('continues after a cursor across a restart', async () => {
    await fc.assert(
      fc.asyncProperty(history, question, async (steps, query) => {
        let opened = await open();
        try {
          await live(opened.engine, steps);
          const expected = listed(await eventsIn(opened), [], query);
          const restart = async () => {
            await opened.close();
            opened = await open(opened.directory);
            return logOver(opened);
          };
          const rows = await walk(logOver(opened), { ...query, count: 7 }, restart);
          expect(rows.map(listedRow)).toEqual(expected);
        } finally {
          await opened.close();
          await rm(dirname(opened.directory), { recursive: true });
        }
      }),
      { numRuns: runs },
    );
  }, 120_000);
});

describe('a page of the log', () => {
  let opened: EngineOnDisk;

  beforeEach(async () => {
    opened = await open();
  });

  afterEach(async () => {
    await opened.close();
    await rm(dirname(opened.directory), { recursive: true });
  });

  const step: Step = {
    what: 'publish',
    pick: 0,
    url: 'https://a.example/x',
    labels: [],
    scheduleId: null,
    topicName: null,
    callerIp: '::1',
    isSuccess: true,
    later: 1000,
    took: 10,
  };

  it('shows nothing older than the retention', async () => {
    await live(opened.engine, [step, { ...step, what: 'attempt', later: 60_000 }]);
    const now = startedMs + 1000 + 100_000;
    const states = async (retentionMs: number) => {
      const { rows } = await logOver(opened, { now, retentionMs }).page(everything);
      return rows.map(({ state }) => state);
    };
    expect(await states(100_000)).toEqual(['DELIVERED', 'ACTIVE', 'CREATED']);
    expect(await states(99_999)).toEqual(['DELIVERED', 'ACTIVE']);
    expect(await states(1000)).toEqual([]);
  });

  it('has no cursor if its last row is the last of all', async () => {
    await live(opened.engine, [step, step]);
    const page = await logOver(opened).page({ ...everything, count: 2 });
    expect(page).toMatchObject({ cursor: null, rows: [{ state: 'CREATED' }, {}] });
  });

  it('is short, with a cursor, when its budget is spent', async () => {
    await live(
      opened.engine,
      Array.from({ length: 30 }, () => step),
    );
    const log = logOver(opened, { eventsPerPage: 10 });
    const page = await log.page({ ...everything, host: ['nobody.example'] });
    expect(page).toEqual({
      rows: [],
      cursor: expect.any(String),
      isLong: false,
      searchedTo: expect.any(Number),
    });
  });

  it('is searched no further when its client has gone', async () => {
    const steps = Array.from({ length: 30 }, () => step);
    await live(opened.engine, steps);
    let asked = 0;
    const isWanted = () => {
      asked += 1;
      return asked < 3;
    };
    const { rows } = await logOver(opened).page({ ...everything, isWanted } as LogQuery);
    expect(asked).toBe(3);
    expect(rows.length).toBeLessThan(steps.length);
  });

  it('reads only the events of a message that is requested by id', async () => {
    await live(
      opened.engine,
      Array.from({ length: 30 }, () => step),
    );
    const log = logOver(opened, { eventsPerPage: 2 });
    const page = await log.page({ ...everything, messageIds: ['msg_3', 'msg_nobody'] });
    expect(page).toMatchObject({ cursor: null, rows: [{ messageId: 'msg_3' }] });
  });

  it('ends before its bodies exceed one answer', async () => {
    const big = Buffer.alloc(3 * 1024 * 1024, 'x');
    const log = new MessageLog({
      journal: opened.journal,
      shown: (read) => opened.engine.shown(read),
      running: () => [],
      messages: { journal: opened.journal, publishedOffset: () => undefined, body: () => big },
      clock: new ManualClock(startedMs),
      retentionMs: 1e12,
      attemptMsMax: 1000,
      budget: { events: 1000, milliseconds: 1 },
    });
    await live(
      opened.engine,
      Array.from({ length: 5 }, () => step),
    );
    const page = await log.page(everything);
    expect([page.rows.length, page.cursor === null, page.isLong]).toEqual([1, false, true]);
    expect((await walk(log, everything)).map(({ messageId }) => messageId)).toHaveLength(5);
  });
});
