/**
 * Computes the next times of a cron expression, a few per tick, so that a long list delays no other
 * request.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Cron } from '../../grammar/cron.js';

const timesPerTick = 50;

/** The next `count` times after `from`, Unix milliseconds. */
export async function nextTimes(cron: Cron, from: number, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let at = cron.nextTime(from); times.length < count; at = cron.nextTime(at)) {
    times.push(at);
    if (times.length % timesPerTick === 0) await nextTick();
  }
  return times;
}
