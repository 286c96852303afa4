/** What operators see of the backups that the server makes. */
import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import type { BackupManifest } from './backup-manifest.js';

/**
 * An alert goes by the time of the last success: a failure that nothing follows is no news by
 * itself.
 */
@Injectable()
export class BackupMetrics {
  readonly #madeAt: Gauge;
  readonly #bytes: Gauge;
  readonly #failures: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#madeAt = new Gauge({
      name: 'stepwell_backup_last_success_timestamp_seconds',
      help: 'When the last backup of this process was complete; 0 = there was none.',
      registers,
    });
    this.#bytes = new Gauge({
      name: 'stepwell_backup_last_bytes',
      help: 'Bytes of all logs in the last backup of this process.',
      registers,
    });
    this.#failures = new Counter({
      name: 'stepwell_backup_failures_total',
      help: 'Backups that were asked for and not made.',
      registers,
    });
  }

  /** It was complete at `at`, Unix milliseconds. */
  succeeded({ bytes }: BackupManifest, at: number): void {
    this.#madeAt.set(at / 1000);
    this.#bytes.set(bytes);
  }

  /** One was begun and is not there; a stop of the server counts, too. */
  failed(): void {
    this.#failures.inc();
  }
}
