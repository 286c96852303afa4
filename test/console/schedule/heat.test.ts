import { heatOf } from '../../../src/console/web/schedule/heat.ts';

const at = (text: string) => Date.parse(text);

it('the week of a schedule counts times of seven days by the clock of its zone', () => {
  const from = at('2026-11-23T23:30:00Z');
  const times = [
    at('2026-11-24T08:00:00Z'),
    at('2026-11-24T08:30:00Z'),
    at('2026-11-30T08:00:00Z'),
  ];
  const { days, max } = heatOf(times, 'Europe/Berlin', from);
  // In Berlin it is Tuesday already.
  expect(days.map(({ name }) => name)).toEqual([
    'Tue 24',
    'Wed 25',
    'Thu 26',
    'Fri 27',
    'Sat 28',
    'Sun 29',
    'Mon 30',
  ]);
  expect(days[0]?.hours[9]).toBe(2);
  expect(days[6]?.hours[9]).toBe(1);
  expect(max).toBe(2);
  expect(days.flatMap(({ hours }) => hours).reduce((one, two) => one + two)).toBe(3);
});

it('the week of a schedule has seven days even if clocks change, and omits later times', () => {
  const from = at('2026-03-28T12:00:00Z');
  const beyond = [at('2026-04-04T13:00:00Z')];
  const { days, max } = heatOf(beyond, 'Europe/Berlin', from);
  expect(days).toHaveLength(7);
  expect(days[0]?.name).toBe('Sat 28');
  expect(days[6]?.name).toBe('Fri 03');
  expect(max).toBe(0);
});
