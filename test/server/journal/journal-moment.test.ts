import { readMoment } from '../../../src/server/journal/journal-moment.js';

function read(text: string): unknown {
  const moment = readMoment(text);
  return moment.ok ? moment.value : null;
}

describe('a moment of the journal', () => {
  it.each([
    ['12', { offset: 12 }],
    ['1795432750758', { time: 1_795_432_750_758 }],
    ['2026-11-23', { time: Date.UTC(2026, 10, 23) }],
    ['2026-11-23T04:00:00Z', { time: Date.UTC(2026, 10, 23, 4) }],
    ['2026-11-23T04:00', { time: Date.UTC(2026, 10, 23, 4) }],
    ['2026-11-23 04:00:00.5', { time: Date.UTC(2026, 10, 23, 4, 0, 0, 500) }],
    ['2026-11-23T04:00:00+01:00', { time: Date.UTC(2026, 10, 23, 3) }],
    ['2026-11-23 04:00-0530', { time: Date.UTC(2026, 10, 23, 9, 30) }],
  ])('%s is %j', (text, moment) => {
    expect(read(text)).toEqual(moment);
  });

  it.each(['', '-5', 'offset 3', '2026-11-31', '2026-11-23T', '2026-11-23Z', '2026-11-23T25:00'])(
    'refuses %j',
    (text) => {
      expect(read(text)).toBeNull();
    },
  );
});
