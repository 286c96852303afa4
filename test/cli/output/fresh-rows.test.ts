import { FreshRows } from '../../../src/cli/messages/fresh-rows.js';

const created = { messageId: 'm', state: 'CREATED', offset: 4 };
const running = { messageId: 'm', state: 'ACTIVE', attempt: 1 };
const began = { ...running, offset: 9 };
const failed = { messageId: 'm', state: 'ERROR', attempt: 1, offset: 9 };
const runningAgain = { messageId: 'm', state: 'ACTIVE', attempt: 2 };

describe('rows of a log that is read again', () => {
  it('are new once, even the row of a running attempt', () => {
    const fresh = new FreshRows();
    const look = (...rows: Record<string, unknown>[]) => {
      fresh.readAgain();
      return rows.filter((row) => fresh.isNew(row));
    };
    expect(look(created, running)).toEqual([created, running]);
    expect(look(created, running)).toEqual([]);
    expect(look(created, began, failed)).toEqual([failed]);
    expect(look(created, began, failed, runningAgain)).toEqual([runningAgain]);
  });

  it('include the rest of an event that was cut at the end of a page', () => {
    const fresh = new FreshRows();
    const look = (...rows: Record<string, unknown>[]) => {
      fresh.readAgain();
      return rows.filter((row) => fresh.isNew(row));
    };
    expect(look(created, began)).toEqual([created, began]);
    expect(look(began, failed)).toEqual([failed]);
    expect(look(began, failed)).toEqual([]);
  });

  it('include the beginning of an attempt that was never seen running', () => {
    const fresh = new FreshRows();
    fresh.readAgain();
    expect([created, began, failed].map((row) => fresh.isNew(row))).toEqual([true, true, true]);
  });
});
