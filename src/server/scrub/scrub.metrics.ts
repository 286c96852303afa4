/** Metrics of the scrub: its progress, and the damage it has found. */
import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';

/** Counters start anew with the process, as the scrub does. */
@Injectable()
export class ScrubMetrics {
  readonly #bytes: Counter;
  readonly #segments: Counter;
  readonly #damaged: Gauge;
  readonly #endedAt: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#bytes = new Counter({
      name: 'stepwell_scrub_bytes_total',
      help: 'Bytes of sealed segments that the scrub has read.',
      registers,
    });
    this.#segments = new Counter({
      name: 'stepwell_scrub_segments_total',
      help: 'Sealed segments that the scrub has read.',
      registers,
    });
    this.#damaged = new Gauge({
      name: 'stepwell_scrub_damaged_segments',
      help: 'Damaged segments that the scrub has found since the start.',
      registers,
    });
    this.#endedAt = new Gauge({
      name: 'stepwell_scrub_last_pass_timestamp_seconds',
      help: 'When the scrub last completed a pass; 0 = not since the start.',
      registers,
    });
  }

  /** One segment of `bytes` was read, whether it was intact or not. */
  read(bytes: number): void {
    this.#bytes.inc(bytes);
    this.#segments.inc();
  }

  /** How many segments are known to be damaged now; fewer if one is healed or removed. */
  damaged(segments: number): void {
    this.#damaged.set(segments);
  }

  /** A pass ended at `at`, in Unix ms. */
  ended(at: number): void {
    this.#endedAt.set(at / 1000);
  }
}
