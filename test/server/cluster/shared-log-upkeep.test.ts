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

it('an owner whose shared log is not trimmed says why', async () => {
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
      throw new Error('the user may not delete records');
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
  await until(() => {
    next += 1;
    clock.advance(5000);
    return trimmed.length > 0;
  });
  await upkeep.stop();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      err: { message: 'the user may not delete records' },
      msg: 'the shared log was not trimmed; it is tried again in a minute',
    },
  ]);
});
