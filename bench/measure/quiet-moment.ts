/** Whether others use the machine: the processors, watched while the bench itself does nothing. */
import { cpus } from 'node:os';

const watchMs = 200;

/** Above this share of all processors other processes are at work. */
const quietShare = 0.1;

/**
 * Waits for a moment in which no other process works, for about `patienceSeconds` at most: watches
 * once in any case. False if there was none.
 */
export async function quietMoment(patienceSeconds: number): Promise<boolean> {
  const end = performance.now() + patienceSeconds * 1000;
  do {
    if ((await busyShare()) <= quietShare) return true;
  } while (performance.now() < end);
  return false;
}

async function busyShare(): Promise<number> {
  const before = processorTimes();
  await new Promise((resolve) => setTimeout(resolve, watchMs));
  const after = processorTimes();
  return 1 - (after.idle - before.idle) / (after.total - before.total);
}

/** Milliseconds of all processors since the machine began. */
function processorTimes(): { idle: number; total: number } {
  let idle = 0;
  let total = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    total += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { idle, total };
}
