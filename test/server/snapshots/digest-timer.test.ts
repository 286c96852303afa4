import { pino } from 'pino';
import { digestTimer } from '../../../src/server/snapshots/digest-timer.js';
import { NotTheOwner } from '../../../storage/faults/storage-errors.js';
import { ManualClock } from '../../support/manual-clock.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('the timer has a digest recorded every ten seconds, even after failures', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  const clock = new ManualClock();
  const outcomes = [null, new NotTheOwner('given up'), new Error('a defect'), null];
  const at: number[] = [];
  const record = async () => {
    at.push(clock.monotonic());
    const outcome = outcomes[at.length - 1] ?? null;
    if (outcome !== null) throw outcome;
  };
  const timer = digestTimer(record, clock, log);
  timer.start();
  const begun = clock.monotonic();
  for (let tens = 0; tens < 4; tens += 1) {
    clock.advance(10_000);
    await settled();
  }
  expect(at.map((time) => time - begun)).toEqual([10_000, 20_000, 30_000, 40_000]);
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'recording a digest of memory failed',
  ]);
  await timer.stop();
  expect(clock.armed).toBe(0);
  timer.start();
  expect(clock.armed).toBe(0);
});
