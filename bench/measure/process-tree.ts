/**
 * What processes and all their descendants use, as Linux counts it. It is the same for programs in
 * any language, which cannot be asked as `MeasuredProcess` asks.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of `/proc/<pid>/stat`: Linux has a hundred of them in a second on every architecture. */
const microsecondsEach = 10_000;
const kibibyte = 1024;

interface ProcessTimes {
  readonly parent: number;
  /** Of the process, and of its children that have ended. */
  readonly ticks: number;
}

/** CPU time of processes and their descendants since they began, user and system, microseconds. */
export function cpuOf(roots: readonly number[]): number {
  const times = everyProcess();
  const ticks = treeOf(roots, times).map((pid) => times.get(pid)?.ticks ?? 0);
  return ticks.reduce((sum, each) => sum + each, 0) * microsecondsEach;
}

/**
 * Memory of processes and their descendants, bytes. What several of them share counts once: it is
 * the sum of their proportional shares.
 */
export function memoryOf(roots: readonly number[]): number {
  return treeOf(roots, everyProcess())
    .map((pid) => shareOf(pid))
    .reduce((sum, each) => sum + each, 0);
}

function treeOf(roots: readonly number[], times: ReadonlyMap<number, ProcessTimes>): number[] {
  const found = new Set(roots);
  // Children have been started after their parents, but pids start again from the beginning.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [pid, { parent }] of times) if (found.has(parent)) found.add(pid);
  }
  return [...found].filter((pid) => times.has(pid));
}

function everyProcess(): Map<number, ProcessTimes> {
  const found = new Map<number, ProcessTimes>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const text = textOf(`/proc/${name}/stat`);
    // The name of the program stands in brackets and may hold blanks and brackets itself.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (fields.length < 15) continue;
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
    found.set(Number(name), { parent: Number(fields[1]), ticks });
  }
  return found;
}

function shareOf(pid: number): number {
  const share = /^Pss: +(\d+) kB$/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1];
  if (share === undefined) throw new Error(`the memory of process ${pid} cannot be read`);
  return Number(share) * kibibyte;
}

/** Empty where the process has ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
