/** The machine a table was made on: two lines above the table. */
import * as fs from 'node:fs';
import { availableParallelism, cpus, freemem, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { ascending, percentile } from './statistics.js';

const gibibyte = 1024 ** 3;

/** Processors, memory, versions; the load before the bench begins is what others do meanwhile. */
export function describeMachine(): string {
  const [total, free] = [totalmem(), freemem()].map((bytes) => Math.round(bytes / gibibyte));
  return [
    `${availableParallelism()} x ${cpus()[0]?.model ?? 'unknown processor'}`,
    `${total} GiB (${free} free)`,
    `Linux ${release()}`,
    `Node ${process.versions.node}`,
    `load ${loadavg()[0]?.toFixed(2)}`,
  ].join(', ');
}

/** fdatasync of 4 KiB overwritten in place, one after another: the floor of every single append. */
export function describeDisk(directory: string): string {
  const file = fs.openSync(join(directory, 'probe'), 'wx');
  const page = Buffer.alloc(4096, 1);
  const milliseconds: number[] = [];
  for (let count = 0; count < 1001; count += 1) {
    fs.writeSync(file, page, 0, page.length, 0);
    const start = performance.now();
    fs.fdatasyncSync(file);
    if (count > 0) milliseconds.push(performance.now() - start);
  }
  fs.closeSync(file);
  const sorted = ascending(milliseconds);
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(sorted, share).toFixed(3));
  return `fdatasync of 4 KiB: p50 ${p50} ms, p99 ${p99} ms`;
}
