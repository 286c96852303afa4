import { FillPace } from '../../../storage/segment/fill-pace.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { crashPolicies, SimulatedDisk } from '../../simulation/simulated-disk.js';
import { directory, openSimulated, settle } from '../simulated-store.js';

const megabyte = 1024 * 1024;
const segmentBytes = 8 * megabyte;

/** A pace, its clock, and what it has answered so far. */
function pacing() {
  const clock = { time: 1000 };
  const pace = new FillPace(segmentBytes, () => clock.time);
  const answers: boolean[] = [];
  const ask = (bytes: number) => void pace.mayFill(bytes).then((may) => answers.push(may));
  return { clock, pace, answers, ask };
}

describe('the pace of a fill', () => {
  it('lets the first MiB be filled at once', async () => {
    const { answers, ask } = pacing();
    ask(megabyte);
    await settle();
    expect(answers).toEqual([true]);
  });

  it('is three times the growth of the current segment from its half on', async () => {
    const { clock, pace, answers, ask } = pacing();
    clock.time += 60_000;
    pace.grown(segmentBytes / 2);
    ask(3 * megabyte);
    pace.grown(segmentBytes / 2 + megabyte - 1);
    await settle();
    expect(answers).toEqual([]);
    pace.grown(segmentBytes / 2 + megabyte);
    await settle();
    expect(answers).toEqual([true]);
    ask(3 * megabyte);
    await settle();
    expect(answers).toEqual([true, true]);
  });

  it('is at most 64 KiB a millisecond', async () => {
    const { clock, pace, answers, ask } = pacing();
    ask(2 * megabyte);
    clock.time += 31;
    pace.grown(segmentBytes);
    await settle();
    expect(answers).toEqual([]);
    clock.time += 1;
    pace.grown(segmentBytes);
    await settle();
    expect(answers).toEqual([true]);
  });

  it('has no limit in a hurry', async () => {
    const { pace, answers, ask } = pacing();
    ask(segmentBytes);
    pace.hurry();
    await settle();
    expect(answers).toEqual([true]);
  });

  it('ends when the segment is needed', async () => {
    const { pace, answers, ask } = pacing();
    ask(2 * megabyte);
    pace.stop();
    ask(megabyte);
    pace.hurry();
    ask(3 * megabyte);
    await settle();
    expect(answers).toEqual([false, false, false]);
  });
});

describe('the next segment of a log', () => {
  const value = Buffer.alloc(megabyte, 7);
  const segmentPath = (number: number) => `${directory}/logs/0000000000/000000000${number}.log`;

  async function filling() {
    const disk = new SimulatedDisk(new SeededRandom(1));
    const { store, timers } = await openSimulated(disk, { segmentBytes });
    const log = await store.createLog('journal', { preparesNextSegment: true });
    await log.prepare();
    const append = async (count: number) => {
      for (let done = 0; done < count; done += 1) {
        await log.append([{ key: null, value }]).durable;
        await settle();
      }
    };
    return { disk, store, timers, log, append };
  }

  it('is as large as the first one if there is time to fill it', async () => {
    const { disk, store, timers, append } = await filling();
    expect(await disk.sizeAt(segmentPath(0))).toBe(segmentBytes);
    await append(4);
    timers.advance(1000);
    await append(3);
    await settle();
    expect(await disk.sizeAt(segmentPath(1))).toBe(segmentBytes);
    await store.close();
  });

  it('is used as far as it is filled if the log grows too fast', async () => {
    const { disk, store, timers, log, append } = await filling();
    await append(4);
    timers.advance(32);
    await append(3);
    await append(1);
    expect(await disk.sizeAt(segmentPath(1))).toBe(2 * megabyte);
    await append(6);
    expect(await disk.sizeAt(segmentPath(1))).toBeGreaterThan(7 * megabyte);
    expect(log.highWatermark).toBe(14);
    await store.close();
    const { store: again } = await openSimulated(disk.restart(), { segmentBytes });
    for (let offset = 0; offset < 14; offset += 1) {
      const [batch] = (await again.log('journal')?.read(offset, { maxBytes: 1 })) ?? [];
      expect(batch?.records()[0]?.value?.equals(value)).toBe(true);
    }
    await again.close();
  });

  it.each(crashPolicies)(
    'keeps what was acknowledged behind its zeros in a power cut (%s)',
    async (policy) => {
      const { disk, timers, log, append } = await filling();
      await append(4);
      timers.advance(32);
      await append(8);
      const size = await disk.sizeAt(segmentPath(1));
      expect(size).toBeGreaterThan(4 * megabyte);
      expect(size).toBeLessThan(segmentBytes);
      // One more, not acknowledged: its write may have begun when the power is cut.
      log.append([{ key: null, value }]).durable.catch(() => undefined);
      await new Promise((resolve) => process.nextTick(resolve));
      for (let seed = 0; seed < 5; seed += 1) {
        const { store } = await openSimulated(disk.crash(policy, seed), { segmentBytes });
        const kept = store.log('journal');
        expect(kept?.highWatermark).toBeGreaterThanOrEqual(12);
        for (let offset = 0; offset < 12; offset += 1) {
          const [batch] = (await kept?.read(offset, { maxBytes: 1 })) ?? [];
          expect(batch?.records()[0]?.value?.equals(value)).toBe(true);
        }
        await store.close();
      }
    },
  );

  it('is finished at a stop', async () => {
    const { disk, store, timers, append } = await filling();
    await append(4);
    timers.advance(32);
    await append(1);
    await store.close();
    expect(await disk.sizeAt(segmentPath(1))).toBe(segmentBytes);
  });
});
