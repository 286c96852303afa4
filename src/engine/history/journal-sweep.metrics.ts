/** What operators see of the sweeps of the journal. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { SweepOutcome } from './journal-sweep.events.js';

export class JournalSweepMetrics {
  readonly #records: Counter;
  readonly #bytes: Counter;
  readonly #kept: Gauge;
  readonly #endedAt: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#records = new Counter({
      name: 'stepwell_journal_swept_records_total',
      help: 'Records that sweeps have removed from the journal.',
      registers,
    });
    this.#bytes = new Counter({
      name: 'stepwell_journal_swept_bytes_total',
      help: 'Bytes that sweeps have removed from the journal.',
      registers,
    });
    this.#kept = new Gauge({
      name: 'stepwell_journal_sweep_kept_records',
      help: 'Records that the last sweep has kept.',
      registers,
    });
    this.#endedAt = new Gauge({
      name: 'stepwell_journal_last_sweep_timestamp_seconds',
      help: 'When the last sweep ended; 0 = there was none since the start.',
      registers,
    });
  }

  /** A sweep ended at `at`, Unix milliseconds. */
  swept({ keptRecords, removedRecords, removedBytes }: SweepOutcome, at: number): void {
    this.#records.inc(removedRecords);
    // Where almost nothing went, the new segment may be the longer one.
    this.#bytes.inc(Math.max(0, removedBytes));
    this.#kept.set(keptRecords);
    this.#endedAt.set(at / 1000);
  }
}
