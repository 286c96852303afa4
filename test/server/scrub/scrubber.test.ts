import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemIdentifiers } from '../../../src/engine/identifiers.js';
import { ProcessLife } from '../../../src/engine/lifecycle/process-life.js';
import { readingOptions } from '../../../src/server/lifecycle/reading-options.js';
import { ScrubMetrics } from '../../../src/server/scrub/scrub.metrics.js';
import { Scrubber } from '../../../src/server/scrub/scrubber.js';
import { openStore } from '../../../storage/store.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { ManualClock } from '../../support/manual-clock.js';

const hourMs = 3_600_000;

it('a pass that failed to read is repeated in an hour, and a complete one in a week', async () => {
  const disk = new SimulatedDisk();
  const clock = new ManualClock();
  const options = readingOptions(clock, systemIdentifiers, () => false);
  const store = await openStore(disk, '/data', { ...options, readOnly: false });
  await store.close();
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line).msg) });
  const config = { dataDirectory: '/data', scrubBytesPerSecond: 1e9 };
  const scrubber = new Scrubber(
    new ProcessLife(clock, log),
    new ScrubMetrics(new Registry()),
    config,
    disk,
    options,
    clock,
    systemIdentifiers,
    log,
  );
  const passed = async (ms: number) => {
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
    return lines.splice(0);
  };
  disk.failures = [{ operation: 'open', nth: 1, code: 'EIO', lasting: true }];
  scrubber.start();
  const failed = ['the scrub failed; it will start again in an hour'];
  expect(await passed(60_000)).toEqual(failed);
  expect(await passed(hourMs)).toEqual(failed);
  disk.failures = [];
  const whole = ['the scrub has read all sealed segments'];
  expect(await passed(hourMs)).toEqual(whole);
  expect(await passed(7 * 24 * hourMs - 1)).toEqual([]);
  expect(await passed(1)).toEqual(whole);
  await scrubber.stop();
});
