/** Metrics of the process itself: memory, processor time, and delays of the event loop. */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { residentBytes } from './resident-memory.js';

const delayQuantiles = [50, 99, 100];
const nanosecondsPerSecond = 1e9;
const microsecondsPerSecond = 1e6;

/** Every reader sees a delay for at least this long. */
const windowMs = 60_000;

/** One instance per process; unless closed, its timer keeps measuring. */
export class ProcessMetrics {
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: 20 });
  readonly #clock: Pick<Clock, 'monotonic'>;
  #windowBegan: number;
  /** The percentiles of the previous window, in seconds. */
  #before = delayQuantiles.map(() => 0);

  constructor(registry: Registry, clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#windowBegan = clock.monotonic();
    this.#delay.enable();
    this.#watchMemory(registry);
    this.#watchProcessor(registry);
    this.#watchDelay(registry);
  }

  /** Stops measuring. */
  close(): void {
    this.#delay.disable();
  }

  #watchMemory(registry: Registry): void {
    gauge(
      registry,
      'stepwell_resident_memory_bytes',
      'Resident memory of the process.',
      residentBytes,
    );
    gauge(
      registry,
      'stepwell_heap_used_bytes',
      'Used part of the JavaScript heap.',
      () => getHeapStatistics().used_heap_size,
    );
    gauge(
      registry,
      'stepwell_heap_limit_bytes',
      'Heap size limit; the process ends if it exceeds the limit.',
      () => getHeapStatistics().heap_size_limit,
    );
  }

  #watchProcessor(registry: Registry): void {
    new Counter({
      name: 'stepwell_cpu_seconds_total',
      help: 'CPU time of the process, including its threads.',
      registers: [registry],
      collect() {
        const { user, system } = process.cpuUsage();
        this.reset();
        this.inc((user + system) / microsecondsPerSecond);
      },
    });
    gauge(registry, 'stepwell_uptime_seconds', 'Time since the process started.', () =>
      process.uptime(),
    );
  }

  #watchDelay(registry: Registry): void {
    const read = () => this.#readDelays();
    new Gauge({
      name: 'stepwell_event_loop_delay_seconds',
      help: 'Delay of the event loop in the last one to two minutes, by percentile.',
      labelNames: ['percentile'],
      registers: [registry],
      collect() {
        const delays = read();
        for (const [index, percentile] of delayQuantiles.entries()) {
          this.set({ percentile }, delays[index] ?? 0);
        }
      },
    });
  }

  /**
   * The worse of the current and the previous window. Reading does not reset what another reader
   * has not seen: a window ends by its age, and is reported for one more window.
   */
  #readDelays(): readonly number[] {
    const delays = delayQuantiles.map(
      (percentile) => this.#delay.percentile(percentile) / nanosecondsPerSecond,
    );
    const worse = delays.map((delay, index) => Math.max(delay, this.#before[index] ?? 0));
    const now = this.#clock.monotonic();
    if (now - this.#windowBegan >= windowMs) {
      this.#before = delays;
      this.#windowBegan = now;
      this.#delay.reset();
    }
    return worse;
  }
}
