/** Helpers with which every feature registers its metrics. */
import { Gauge, type Registry } from 'prom-client';

/** Buckets for durations of milliseconds, in seconds. */
export const fastSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** A gauge whose values are read from several parts of the server. */
class PartsGauge extends Gauge<string> {
  readonly parts = new Map<string, () => number>();
}

/** The common name of the values of several parts; `label` distinguishes the parts. */
export interface SharedGauge {
  readonly name: string;
  readonly help: string;
  readonly label: string;
}

/** Adds the value of `part` to a gauge shared with other parts; read at every scrape. */
export function partGauge(
  registry: Registry,
  { name, help, label }: SharedGauge,
  part: string,
  read: () => number,
): void {
  const known = registry.getSingleMetric(name);
  const gauge = known instanceof PartsGauge ? known : sharedGauge();
  gauge.parts.set(part, read);

  function sharedGauge(): PartsGauge {
    const made: PartsGauge = new PartsGauge({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      collect() {
        for (const [own, value] of made.parts) made.set({ [label]: own }, value());
      },
    });
    return made;
  }
}

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
