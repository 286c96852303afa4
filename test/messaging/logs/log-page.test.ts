import { formatCursor, type LogCursor } from '../../../src/messaging/logs/log-cursor.js';
import { LogPage } from '../../../src/messaging/logs/log-page.js';
import { ManualClock } from '../../support/manual-clock.js';

const budget = { events: 3, milliseconds: 1000 };
const place = (offset: number): LogCursor => ({ at: 'journal', offset, place: 0 });
const row = (name: string, characters = 1) => ({ row: name, characters });

describe('a page', () => {
  it('has no cursor if everything was found', () => {
    const page = new LogPage<string>(2, new ManualClock(), budget);
    page.add(row('a'), place(9));
    page.add(row('b'), place(7));
    expect(page.isFull).toBe(false);
    expect(page.content).toEqual({ rows: ['a', 'b'], cursor: null, isLong: false });
  });

  it('ends after its last row once there is one too many', () => {
    const page = new LogPage<string>(2, new ManualClock(), budget);
    for (const offset of [9, 7, 5]) page.add(row(`at ${offset}`), place(offset));
    expect(page.isFull).toBe(true);
    expect(page.content).toEqual({
      rows: ['at 9', 'at 7'],
      cursor: formatCursor(place(7)),
      isLong: false,
    });
  });

  it('ends early if its rows are large, but never without a row', () => {
    const page = new LogPage<string>(9, new ManualClock(), budget);
    page.add(row('huge', 100 * 1024 * 1024), place(9));
    expect(page.isFull).toBe(false);
    page.add(row('small'), place(7));
    expect(page.content).toEqual({ rows: ['huge'], cursor: formatCursor(place(9)), isLong: true });
  });

  it('ends where the search is when its budget of events or time is spent', () => {
    const clock = new ManualClock();
    const page = new LogPage<string>(9, clock, budget);
    for (let events = 0; events < 3; events += 1) {
      expect(page.cost.isSpent).toBe(false);
      page.cost.spend();
    }
    expect(page.cost.isSpent).toBe(true);
    page.interrupt(place(4), 700);
    expect(page.content).toEqual({
      rows: [],
      cursor: formatCursor(place(4)),
      isLong: false,
      searchedTo: 700,
    });

    const slow = new LogPage<string>(9, clock, budget);
    clock.advance(999);
    expect(slow.cost.isSpent).toBe(false);
    clock.advance(1);
    expect(slow.cost.isSpent).toBe(true);
  });
});
