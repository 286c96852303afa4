import { once } from 'node:events';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { restsOf } from '../../../src/server/history/background-thread.js';

it('a thread of low priority leaves the rest of the process its share, on Linux', async () => {
  const own = getPriority();
  const worker = new Worker(new URL('./niceness.worker.ts', import.meta.url));
  const [[before, after]] = await once(worker, 'message');
  await worker.terminate();
  expect(before).toBe(own);
  expect(after).toBe(process.platform === 'linux' ? Math.min(19, own + 10) : own);
  expect(getPriority()).toBe(own);
});

it('a thread sleeps as long as it has worked, after each 0.15 ms of work', () => {
  let now = 1000;
  const slept: number[] = [];
  const rest = restsOf(
    () => now,
    (ms) => {
      slept.push(now - 1000);
      now += ms;
    },
  );
  for (let piece = 0; piece < 12; piece += 1) {
    now += 0.0625;
    rest();
  }
  expect(slept.map((ms) => Math.round(ms * 1e4))).toEqual([1875, 5250, 8625, 12000]);
});
