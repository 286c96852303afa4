/** When a cron happens next: a few times at once, so that a long list holds no other request up. */
import type { Cron } from '../../grammar/cron.js';

const timesPerTick = 50;

/** The next `count` times after `from`, Unix milliseconds. */
export async function nextTimes(cron: Cron, from: number, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let at = cron.nextTime(from); times.length < count; at = cron.nextTime(at)) {
    times.push(at);
    if (times.length % timesPerTick === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return times;
}
