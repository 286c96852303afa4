import fc from 'fast-check';
import { type Cron, parseCron, parseNewCron } from '../../src/grammar/cron.js';
import { naiveCrons, Wall } from './naive-cron.js';

/** More for longer runs: `CRON_RUNS=1000 npm run jest -- test/grammar/cron`. */
const runs = Number(process.env['CRON_RUNS'] ?? 60);

const minute = 60_000;
const day = 86_400_000;

function cron(text: string): Cron {
  const read = parseCron(text);
  if (!read.ok) throw new Error(`${text} ${read.message}`);
  return read.value;
}

/** The next `count` times after `after`, in ISO format. */
function next(text: string, after: string, count = 1): string[] {
  const times: number[] = [];
  for (let time = Date.parse(after); times.length < count; times.push(time)) {
    time = cron(text).nextTime(time);
  }
  return times.map((time) => new Date(time).toISOString().slice(0, 16));
}

describe('a cron expression', () => {
  it.each([
    ['* * * * *', '2026-05-01T10:00'],
    ['*/15 * * * *', '2026-05-01T10:00'],
    ['0 12 * * *', '2026-05-01T12:00'],
    ['0 9 * * MON-FRI', '2026-05-04T09:00'],
    ['0 0 1 JAN *', '2027-01-01T00:00'],
    ['0 0 29 2 *', '2028-02-29T00:00'],
    ['30 6 1,15 * 0', '2026-05-03T06:30'],
    ['0 0 * * 7', '2026-05-03T00:00'],
    ['CRON_TZ=Asia/Kolkata 0 9 * * *', '2026-05-02T03:30'],
    ['CRON_TZ=america/new_york 0 9 * * *', '2026-05-01T13:00'],
    ['  CRON_TZ=Europe/Berlin   0  9 * * * ', '2026-05-02T07:00'],
  ])('%s comes next at %s', (text, expected) => {
    expect(next(text, '2026-05-01T09:59:59.999Z')).toEqual([expected]);
  });

  it('comes strictly after the time asked for, on a full minute', () => {
    expect(next('* * * * *', '2026-05-01T10:00:00.000Z')).toEqual(['2026-05-01T10:01']);
    expect(next('* * * * *', '2026-05-01T09:59:59.999Z')).toEqual(['2026-05-01T10:00']);
  });

  it.each([
    '',
    '   ',
    '*',
    '* * * *',
    '* * * * * *',
    '@daily',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '5-1 * * * *',
    '*/0 * * * *',
    '1,,2 * * * *',
    'a * * * *',
    'H * * * *',
    'H/5 * * * *',
    '1e1 * * * *',
    '0 0 30 2 *',
    '0 0 31 4,6,9,11 *',
    'CRON_TZ= * * * * *',
    'CRON_TZ=Nope/City * * * * *',
    'CRON_TZ=local * * * * *',
    'CRON_TZ=+03:00 * * * * *',
    'CRON_TZ=utc+3 * * * * *',
    'CRON_TZ=Europe/Berlin',
    'TZ=Europe/Berlin * * * * *',
    `${'1,'.repeat(200)}1 * * * *`,
  ])('is refused as %j', (text) => {
    expect(parseCron(text)).toMatchObject({ ok: false, message: expect.any(String) });
  });
});

describe('when the clock is set forward, from 2:00 to 3:00,', () => {
  const before = '2026-03-28T12:00:00Z';

  it('a named hour that is skipped happens at the end of the gap, once', () => {
    const text = 'CRON_TZ=Europe/Berlin 15,45 2 * * *';
    expect(next(text, before, 3)).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:15',
      '2026-03-30T00:45',
    ]);
  });

  it('any hour follows the wall clock: a skipped time does not happen', () => {
    const text = 'CRON_TZ=Europe/Berlin 30 */2 29 3 *';
    expect(next(text, before, 3)).toEqual([
      '2026-03-28T23:30',
      '2026-03-29T02:30',
      '2026-03-29T04:30',
    ]);
  });
});

describe('when the clock is set back, from 3:00 to 2:00,', () => {
  const before = '2026-10-24T12:00:00Z';

  it('a named hour happens the first time that it is shown', () => {
    const text = 'CRON_TZ=Europe/Berlin 30 2 * * *';
    expect(next(text, before, 2)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
    expect(next(text, '2026-10-25T01:10:00Z')).toEqual(['2026-10-26T01:30']);
  });

  it('any hour happens each time that it is shown', () => {
    const text = 'CRON_TZ=Europe/Berlin 30 * * * *';
    expect(next(text, '2026-10-24T23:50:00Z', 3)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-25T02:30',
    ]);
  });
});

/** Weeks in which clocks are set: by an hour, by half an hour, at midnight, by a whole day. */
const weeks = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['America/Havana', '2026-03-08'],
  ['America/Havana', '2026-11-01'],
  ['Africa/Cairo', '2026-04-24'],
  ['Africa/Casablanca', '2026-02-15'],
  ['Pacific/Apia', '2011-12-30'],
] as const;

describe.each(weeks)('in %s around %s, any expression', (zone, date) => {
  const days = 6;
  const wall = new Wall(zone, Date.parse(`${date}T00:00:00Z`) - 3 * day, (days * day) / minute);
  const settings = wall.settings;

  it('comes when the rule says, as a walk minute by minute finds', () => {
    expect(settings).toHaveLength(1);
    const [setting = 0] = settings;
    const nearby = fc.integer({ min: -200, max: 200 }).map((minutes) => setting + minutes * minute);
    const anywhere = fc
      .integer({ min: day, max: (days - 1) * day })
      .map((milliseconds) => wall.from + milliseconds);
    fc.assert(
      fc.property(naiveCrons, fc.oneof(nearby, anywhere), (naive, after) => {
        const zoned = cron(`CRON_TZ=${zone} ${naive.text}`);
        const expected = wall
          .times(naive)
          .filter((time) => time > after)
          .slice(0, 20);
        let time = after;
        for (const each of expected) {
          time = zoned.nextTime(time);
          expect(time).toBe(each);
        }
        // The next time comes after everything that the walk has seen.
        if (expected.length < 20) {
          expect(zoned.nextTime(time)).toBeGreaterThanOrEqual(wall.from + days * day);
        }
      }),
      { numRuns: runs },
    );
  });
});

describe('any text', () => {
  const pieces = fc.constantFrom(...'0123456789*/,-?#LHW @'.split(''), 'MON', 'JAN', 'CRON_TZ=');
  const texts = fc.oneof(
    fc.string({ maxLength: 400 }),
    fc.array(pieces, { maxLength: 300 }).map((parts) => parts.join('')),
    fc
      .array(fc.array(pieces, { minLength: 1, maxLength: 5 }), { minLength: 5, maxLength: 5 })
      .map((fields) => fields.map((field) => field.join('').replaceAll(' ', '')).join(' ')),
  );

  it('is refused, or has a next time on a full minute after any time', () => {
    const times = fc.integer({ min: 0, max: 4_000_000_000_000 });
    fc.assert(
      fc.property(texts, times, (text, after) => {
        const read = parseCron(text);
        if (!read.ok) return;
        const time = read.value.nextTime(after);
        expect(time).toBeGreaterThan(after);
        expect(time % minute).toBe(0);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a new cron expression', () => {
  it.each([
    ['*/61 * * * *', 'has steps of 61 in its minutes, of which there are 60'],
    ['5/70 * * * *', 'has steps of 70 in its minutes, of which there are 60'],
    ['1,2,10-20/99999999999 * * * *', 'has steps of 99999999999 in its minutes'],
    ['0 */25 * * *', 'has steps of 25 in its hours, of which there are 24'],
    ['0 0 */32 * *', 'has steps of 32 in its days of the month, of which there are 31'],
    ['0 0 1 */13 *', 'has steps of 13 in its months, of which there are 12'],
    ['CRON_TZ=Europe/Berlin 0 0 * * MON/8', 'has steps of 8 in its days of the week'],
  ])('is refused as %j, which every field would take for its first value', (text, reason) => {
    expect(parseNewCron(text)).toMatchObject({
      ok: false,
      message: expect.stringContaining(reason),
    });
    expect(parseCron(text).ok).toBe(true);
  });

  it.each([
    '*/60 * * * *',
    '0 */24 * * *',
    '0 0 */31 * *',
    '0 0 1 */12 *',
    '0 0 * * */7',
    '1 2 3 4 5',
  ])('may be %j', (text) => {
    expect(parseNewCron(text)).toEqual({ ok: true, value: expect.anything() });
  });

  it('is refused for every reason for which any expression is refused', () => {
    expect(parseNewCron('* * * *')).toEqual(parseCron('* * * *'));
  });
});
