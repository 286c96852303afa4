/** The life of a message, folded from the rows of its log into bars. Pure. */
import type { Tone } from '../parts/state-mark.tsx';

/** The fields of a log row that are used. */
export interface LifeRow {
  /** In Unix ms. */
  readonly time: number;
  readonly state: string;
  /** Counted from 1. */
  readonly attempt?: number | undefined;
  readonly durationMs?: number | undefined;
  readonly nextDeliveryTime: number;
  readonly error?: string | undefined;
  readonly responseStatus?: number | undefined;
  readonly responseHeader?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** An attempt; `endedAt` is null if it has not ended. */
export interface LifeAttempt {
  readonly number: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly row: LifeRow;
}

/** A period in which a message was in one state. */
export interface LifeBar {
  readonly from: number;
  readonly until: number;
  readonly tone: Tone;
  readonly says: string;
}

/** The life to draw: bars without gaps between `from` and `until`, in Unix ms. */
export interface MessageLife {
  readonly bars: readonly LifeBar[];
  readonly attempts: readonly LifeAttempt[];
  readonly from: number;
  readonly until: number;
}

const ends: Readonly<Record<string, Tone>> = { DELIVERED: 'ok', ERROR: 'bad', FAILED: 'bad' };

/** The life as known at `now`, from rows in chronological order. */
export function lifeOf(rows: readonly LifeRow[], now: number): MessageLife {
  const attempts = attemptsOf(rows);
  const from = rows[0]?.time ?? now;
  const isOver = rows.some(({ state }) => ['DELIVERED', 'FAILED', 'CANCELED'].includes(state));
  const until = isOver ? (rows.at(-1)?.time ?? now) : now;
  const bars: LifeBar[] = [];
  let free = from;
  for (const { number, startedAt, endedAt, row } of attempts) {
    if (startedAt > free) bars.push(waiting(free, startedAt, number));
    const tone = endedAt === null ? 'busy' : (ends[row.state] ?? 'idle');
    const says = `attempt ${number}: ${row.error ?? row.responseStatus ?? 'in flight'}`;
    bars.push({ from: startedAt, until: endedAt ?? until, tone, says });
    free = endedAt ?? until;
  }
  if (until > free) bars.push(waiting(free, until, attempts.length + 1));
  return { bars, attempts, from, until };
}

/** The moments at which something happened, in order, each once. */
export function momentsOf(rows: readonly LifeRow[]): readonly number[] {
  return [...new Set(rows.map(({ time }) => time))].sort((one, other) => one - other);
}

function waiting(from: number, until: number, attempt: number): LifeBar {
  return { from, until, tone: 'wait', says: `waiting for attempt ${attempt}` };
}

function attemptsOf(rows: readonly LifeRow[]): readonly LifeAttempt[] {
  const attempts = new Map<number, LifeAttempt>();
  for (const row of rows) {
    const { attempt: number, time } = row;
    if (number === undefined) continue;
    const known = attempts.get(number);
    if (row.state === 'ACTIVE') {
      attempts.set(number, { number, startedAt: time, endedAt: null, row });
    } else if (row.state in ends && known?.endedAt === null) {
      attempts.set(number, { ...known, endedAt: time, row });
    }
  }
  return [...attempts.values()];
}
