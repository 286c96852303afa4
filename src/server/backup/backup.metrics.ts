/** Metrics of the backups that the server makes. */
import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import type { BackupManifest } from './backup-manifest.js';

/** An alert compares the two times: a failure matters until a later backup is complete. */
@Injectable()
export class BackupMetrics {
  readonly #madeAt: Gauge;
  readonly #bytes: Gauge;
  readonly #failures: Counter;
  readonly #failedAt: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#madeAt = new Gauge({
      name: 'stepwell_backup_last_success_timestamp_seconds',
      help: 'When the last backup of this process was complete; 0 = no backup yet.',
      registers,
    });
    this.#bytes = new Gauge({
      name: 'stepwell_backup_last_bytes',
      help: 'Bytes of all logs in the last backup of this process.',
      registers,
    });
    this.#failures = new Counter({
      name: 'stepwell_backup_failures_total',
      help: 'Backups that were requested but failed.',
      registers,
    });
    this.#failedAt = new Gauge({
      name: 'stepwell_backup_last_failure_timestamp_seconds',
      help: 'When a backup of this process last failed; 0 = none failed.',
      registers,
    });
  }

  /** Called when a backup is complete; `at` is in Unix ms. */
  succeeded({ bytes }: BackupManifest, at: number): void {
    this.#madeAt.set(at / 1000);
    this.#bytes.set(bytes);
  }

  /**
   * Called when a backup was started but failed at `at`, in Unix ms; one ended by a stop counts
   * too.
   */
  failed(at: number): void {
    this.#failures.inc();
    this.#failedAt.set(at / 1000);
  }
}
