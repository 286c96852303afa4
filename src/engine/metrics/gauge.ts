/** What the metrics of every feature are registered with. */
import { Gauge, type Registry } from 'prom-client';

/** Buckets for what takes milliseconds, in seconds. */
export const fastSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** Registers a gauge that is read at every scrape. */
export function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
