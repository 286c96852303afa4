import { once } from 'node:events';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';

it('a thread of low priority leaves the rest of the process its share, on Linux', async () => {
  const own = getPriority();
  const worker = new Worker(new URL('./niceness.worker.ts', import.meta.url));
  const [[before, after]] = await once(worker, 'message');
  await worker.terminate();
  expect(before).toBe(own);
  expect(after).toBe(process.platform === 'linux' ? Math.min(19, own + 10) : own);
  expect(getPriority()).toBe(own);
});

const itOnLinux = process.platform === 'linux' ? it : it.skip;

itOnLinux('a thread that rests sleeps after each piece of its work', async () => {
  const worker = new Worker(new URL('./resting.worker.ts', import.meta.url));
  const [{ pieces, without, resting }] = await once(worker, 'message');
  await worker.terminate();
  expect(without).toBeLessThan(pieces);
  expect(resting).toBeGreaterThanOrEqual(pieces);
});
