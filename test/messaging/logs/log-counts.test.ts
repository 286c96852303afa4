import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { MessageLogCounts } from '../../../src/messaging/logs/log-counts.js';
import { formatCursor, parseCursor } from '../../../src/messaging/logs/log-cursor.js';
import type { LogRow } from '../../../src/messaging/logs/log-row.js';
import type { LogCount, LogCounts } from '../../../src/messaging/logs/log-tally.js';
import { LogTally } from '../../../src/messaging/logs/log-tally.js';
import {
  type CountedProperty,
  type CountsQuery,
  countedProperties,
} from '../../../src/messaging/logs/logs.request.js';
import { MessageLog } from '../../../src/messaging/logs/message-log.js';
import { ManualClock } from '../../support/manual-clock.js';
import { history, live, question } from './log-history.js';
import { open, sourceOver } from './log-source.js';

const runs = 10 * Number(process.env['STEPWELL_TEST_ROUNDS'] ?? 1);

const sortKey = ({ time, key }: LogCount) => `${time ?? 0} ${key}`;
const sorted = (counts: readonly LogCount[]) =>
  [...counts].sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));

/** The keys of a row as it is shown. */
function keysOf(by: CountedProperty, row: LogRow): readonly string[] {
  if (by === 'label') return row.labels ?? [];
  const value = by === 'host' ? new URL(row.url).host : row[by];
  return value === undefined ? [] : [String(value)];
}

/** The counts computed row by row. */
function countedIn(rows: readonly LogRow[], { by, bucketMs }: CountsQuery): LogCount[] {
  const counts = new Map<string, LogCount>();
  for (const row of rows) {
    for (const key of keysOf(by, row)) {
      const time = bucketMs === null ? {} : { time: row.time - (row.time % bucketMs) };
      const name = `${time.time} ${key}`;
      counts.set(name, { ...time, key, count: (counts.get(name)?.count ?? 0) + 1 });
    }
  }
  return [...counts.values()];
}

const added = (parts: readonly LogCounts[]): LogCount[] => {
  const sums = new Map<string, LogCount>();
  for (const each of parts.flatMap(({ counts }) => counts)) {
    const earlier = sums.get(sortKey(each))?.count ?? 0;
    sums.set(sortKey(each), { ...each, count: earlier + each.count });
  }
  return [...sums.values()];
};

describe('the counts of the logs', () => {
  it('equal those of the listed rows, however far one request gets', async () => {
    const asked = fc.record({
      query: question,
      by: fc.constantFrom(...countedProperties),
      bucketMs: fc.option(fc.constantFrom(1000, 7000)),
      eventsPerPage: fc.integer({ min: 1, max: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(history, fc.array(asked, { minLength: 10 }), async (steps, questions) => {
        const opened = await open();
        try {
          const running = await live(opened.engine, steps);
          for (const { query, by, bucketMs, eventsPerPage } of questions) {
            const all = { ...query, count: 100_000 };
            const { rows } = await new MessageLog(sourceOver(opened, { running })).page(all);
            const counts: CountsQuery = { ...query, by, bucketMs };
            const parts: LogCounts[] = [];
            for (let cursor: CountsQuery['cursor'] = null; ; ) {
              const log = new MessageLogCounts(sourceOver(opened, { running, eventsPerPage }));
              const part = await log.counts({ ...counts, cursor });
              parts.push(part);
              if (part.cursor === null) break;
              expect(part.searchedTo).toEqual(expect.any(Number));
              const parsed = parseCursor(part.cursor);
              if (!parsed.ok) throw new Error(`its own cursor is refused: ${part.cursor}`);
              cursor = parsed.value;
            }
            expect(sorted(added(parts))).toEqual(sorted(countedIn(rows, counts)));
          }
        } finally {
          await opened.close();
          await rm(dirname(opened.directory), { recursive: true });
        }
      }),
      { numRuns: runs },
    );
  }, 120_000);

  it('end when there are too many, after the last row that was counted', () => {
    const tally = new LogTally(null, new ManualClock(), { events: 1e9, milliseconds: 1e9 });
    const place = (offset: number) => ({ at: 'journal', offset, place: 0 }) as const;
    let offset = 50_000;
    for (; !tally.isFull; offset -= 1) {
      const row = { time: offset, keys: [`key ${offset}`] };
      tally.add({ row, characters: 0 }, place(offset));
    }
    const { counts, cursor, searchedTo } = tally.content;
    expect(counts).toHaveLength(10_000);
    expect(cursor).toBe(formatCursor(place(40_001)));
    expect(searchedTo).toBe(40_001);
  });
});
