/**
 * The metrics that every Prometheus client library reports of its process, under the names that
 * generic dashboards expect. prom-client's own defaults would watch the event loop a second time, a
 * hundred times a second, and every garbage collection.
 */
import { getHeapStatistics } from 'node:v8';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Disk } from '../../../storage/disk/disk.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { residentBytes } from './resident-memory.js';

const microsecondsPerSecond = 1e6;

/** On Linux, this folder has an entry for each open file; other systems have no such folder. */
const openFilesFolder = '/proc/self/fd';

/** `startedAt` is in Unix ms; `filesMax` is how many files the process may open. */
export interface ProcessFacts {
  readonly startedAt: number;
  readonly filesMax: number;
}

/** Registers the metrics; values are read at each scrape. Called once for each registry. */
export function watchProcess(
  registry: Registry,
  disk: Pick<Disk, 'list'>,
  { startedAt, filesMax }: ProcessFacts,
): void {
  const registers = [registry];
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the process, including its threads.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / microsecondsPerSecond);
    },
  });
  const resident = 'Resident memory of the process.';
  gauge(registry, 'process_resident_memory_bytes', resident, residentBytes);
  const began = 'When the process started, Unix seconds.';
  gauge(registry, 'process_start_time_seconds', began, () => startedAt / 1000);
  const most = 'Maximum number of files that the process may have open.';
  gauge(registry, 'process_max_fds', most, () => filesMax);
  new Gauge({
    name: 'process_open_fds',
    help: 'Files that the process has open; 0 if the system does not report it.',
    registers,
    async collect() {
      // One of the entries is the folder itself.
      const names = await disk.list(openFilesFolder).catch(() => ['']);
      this.set(names.length - 1);
    },
  });
  const heap = 'Size of the JavaScript heap, including its free part.';
  gauge(registry, 'nodejs_heap_size_total_bytes', heap, () => getHeapStatistics().total_heap_size);
  const used = 'Used part of the JavaScript heap.';
  gauge(registry, 'nodejs_heap_size_used_bytes', used, () => getHeapStatistics().used_heap_size);
  const external = 'Memory outside of the heap that JavaScript objects hold.';
  gauge(registry, 'nodejs_external_memory_bytes', external, () => {
    return getHeapStatistics().external_memory;
  });
  new Gauge({
    name: 'nodejs_version_info',
    help: 'Always 1; the label is the version of Node.js.',
    labelNames: ['version'],
    registers,
  }).set({ version: process.version }, 1);
}
