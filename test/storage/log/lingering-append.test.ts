import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openSimulated, settle } from '../simulated-store.js';

const record = (text: string) => ({ key: null, value: Buffer.from(text), terms: [] });

/** A log, and the number of records in each group that was written. */
async function open() {
  const groups: number[] = [];
  const disk = new SimulatedDisk(new SeededRandom(3));
  const onCommit = (records: number) => {
    groups.push(records);
    return () => undefined;
  };
  const { store, timers } = await openSimulated(disk, { onCommit });
  const log = await store.createLog('log');
  return { disk, store, timers, log, groups };
}

describe('an append that lingers', () => {
  it('is written with the next one that does not', async () => {
    const { store, log, groups } = await open();
    const first = log.append([record('one')], true);
    await settle();
    expect(groups).toEqual([]);
    await log.append([record('two')]).durable;
    await first.durable;
    expect(groups).toEqual([2]);
    expect(log.highWatermark).toBe(2);
    await store.close();
  });

  it('is written by itself once its time is over', async () => {
    const { store, timers, log, groups } = await open();
    const { durable } = log.append([record('one')], true);
    log.append([record('two')], true);
    timers.advance(4);
    await settle();
    expect(groups).toEqual([]);
    timers.advance(1);
    await durable;
    expect(groups).toEqual([2]);
    await store.close();
  });

  it('waits behind the group in flight, and then lingers', async () => {
    const { store, timers, log, groups } = await open();
    const inFlight = log.append([record('one')]);
    await Promise.resolve();
    const next = log.append([record('two')], true);
    await inFlight.durable;
    await settle();
    timers.advance(5);
    await next.durable;
    expect(groups.reduce((all, records) => all + records, 0)).toBe(2);
    await store.close();
  });

  it.each(['flush', 'roll', 'close'] as const)('is written by %s', async (how) => {
    const { disk, store, log, groups } = await open();
    const { durable } = log.append([record('one')], true);
    if (how === 'flush') log.flush();
    else if (how === 'roll') await log.roll();
    else await store.close();
    await durable;
    expect(groups).toEqual([1]);
    await store.close();
    const again = await openSimulated(disk);
    expect(again.store.log('log')?.endOffset).toBe(1);
    await again.store.close();
  });
});
