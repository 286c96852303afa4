/** Metrics of the sweeps of the journal. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { SweepReport } from '../journal.js';

/** Created once per registry; the runner updates it when a sweep has ended, never before. */
export class JournalSweepMetrics {
  readonly #records: Counter;
  readonly #bytes: Counter;
  readonly #kept: Gauge;
  readonly #endedAt: Gauge;
  readonly #seconds: Gauge;
  readonly #failed: Counter;
  readonly #archived: Counter;
  readonly #archivedAt: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#records = new Counter({
      name: 'stepwell_journal_swept_records_total',
      help: 'Records that sweeps removed from the journal.',
      registers,
    });
    this.#bytes = new Counter({
      name: 'stepwell_journal_swept_bytes_total',
      help: 'Bytes that sweeps removed from the journal.',
      registers,
    });
    this.#kept = new Gauge({
      name: 'stepwell_journal_sweep_kept_records',
      help: 'Records that the last sweep kept.',
      registers,
    });
    this.#endedAt = new Gauge({
      name: 'stepwell_journal_last_sweep_timestamp_seconds',
      help: 'When the last sweep ended; 0 = no sweep since the start.',
      registers,
    });
    this.#seconds = new Gauge({
      name: 'stepwell_journal_last_sweep_seconds',
      help: 'Duration of the last sweep.',
      registers,
    });
    this.#failed = new Counter({
      name: 'stepwell_journal_sweeps_failed_total',
      help: 'Sweeps that failed, e.g. for lack of the archive or of disk space; see the log.',
      registers,
    });
    this.#archived = new Counter({
      name: 'stepwell_journal_archived_bytes_total',
      help: 'Bytes of the journal that were copied to STEPWELL_ARCHIVE_DIR.',
      registers,
    });
    this.#archivedAt = new Gauge({
      name: 'stepwell_journal_last_archive_timestamp_seconds',
      help: 'When segments were last copied to STEPWELL_ARCHIVE_DIR; 0 = not since the start.',
      registers,
    });
  }

  /** A sweep ended at `at`, Unix milliseconds, and took `durationMs`. */
  swept(report: SweepReport, at: number, durationMs: number): void {
    const { keptRecords, removedRecords, removedBytes, archivedBytes } = report;
    this.#records.inc(removedRecords);
    // If a sweep removes almost nothing, the new segment may be longer than the old ones.
    this.#bytes.inc(Math.max(0, removedBytes));
    this.#kept.set(keptRecords);
    this.#endedAt.set(at / 1000);
    this.#seconds.set(durationMs / 1000);
    if (archivedBytes === 0) return;
    this.#archived.inc(archivedBytes);
    this.#archivedAt.set(at / 1000);
  }

  /** A sweep failed. A sweep that was stopped by the server does not count. */
  failed(): void {
    this.#failed.inc();
  }
}
