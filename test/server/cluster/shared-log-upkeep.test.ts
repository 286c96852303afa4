import { pino } from 'pino';
import { emptyHistory } from '../../../src/cluster/shared-history.js';
import { systemIdentifiers } from '../../../src/engine/identifiers.js';
import { KeptPlace } from '../../../src/server/cluster/kept/kept-place.js';
import { SharedLogUpkeep } from '../../../src/server/cluster/shared-log-upkeep.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openWriter } from '../../support/cluster/followed-engine.js';
import { MemoryLog } from '../../support/cluster/memory-log.js';
import { until } from '../../support/cluster/test-cluster.js';
import { ManualClock } from '../../support/manual-clock.js';

const retentionMs = 60_000;

/** An owner, whose shared log is trimmed by `trim`, up to where that is called first. */
async function trimming(trim: () => Promise<void>) {
  const clock = new ManualClock();
  const { store, journal } = await openWriter(new SimulatedDisk());
  const place = await KeptPlace.open(store);
  await place.keep({ ...emptyHistory, next: 1 });
  const lines: string[] = [];
  const trimmed: number[] = [];
  const log = {
    ...new MemoryLog().open(),
    trim: async (before: number) => {
      trimmed.push(before);
      await trim();
    },
  };
  let next = 10;
  const upkeep = new SharedLogUpkeep(
    {
      log,
      retentionMs,
      clock,
      url: 'http://127.0.0.1:1',
      secret: 'secret of nodes',
      identifiers: systemIdentifiers,
      logger: pino({}, { write: (line) => void lines.push(line) }),
    },
    {
      otherOwner: () => null,
      owned: () => ({ ...emptyHistory, next }),
      failed: (error) => {
        throw error;
      },
    },
  );
  upkeep.follow({ store, journal, place });
  upkeep.own();
  const proceed = () => {
    next += 1;
    clock.advance(5000);
  };
  await until(() => {
    proceed();
    return trimmed.length > 0;
  });
  return { upkeep, lines, place, trimmed, proceed };
}

it('an owner whose shared log is not trimmed says why', async () => {
  const { upkeep, lines } = await trimming(async () => {
    throw new Error('the user may not delete records');
  });
  await upkeep.stop();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      err: { message: 'the user may not delete records' },
      msg: 'trimming the shared log failed; it will be retried in a minute',
    },
  ]);
});

it('an owner goes on, and stops, while much of its shared log is removed', async () => {
  const { upkeep, place, trimmed, proceed } = await trimming(() => new Promise(() => undefined));
  const before = place.state?.next ?? 0;
  await until(() => {
    proceed();
    return (place.state?.next ?? 0) > before + 30;
  });
  expect(trimmed).toHaveLength(1);
  await upkeep.stop();
});
