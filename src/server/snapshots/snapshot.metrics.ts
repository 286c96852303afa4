/** Metrics of the snapshots. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { gauge } from '../../engine/metrics/gauge.js';
import type { WrittenSnapshot } from '../../engine/snapshots/snapshot-keeper.js';

/** Registered once for each registry; the runner reports to it. */
export class SnapshotMetrics {
  readonly #written: Counter;
  readonly #failed: Counter;
  readonly #checked: Counter;
  readonly #differed: Counter;
  readonly #uncheckable: Counter;
  readonly #digestsSame: Counter;
  readonly #digestsDiffered: Counter;
  readonly #offset: Gauge;
  readonly #bytes: Gauge;
  readonly #seconds: Gauge;
  readonly #writtenAt: Gauge;

  /** `unfolded` returns how many bytes of the journal are in no snapshot. */
  constructor(registry: Registry, unfolded: () => number) {
    const registers = [registry];
    this.#written = new Counter({
      name: 'stepwell_snapshots_written_total',
      help: 'Snapshots of memory written.',
      registers,
    });
    this.#failed = new Counter({
      name: 'stepwell_snapshots_failed_total',
      help: 'Snapshots that could not be made; earlier ones remain in use.',
      registers,
    });
    this.#checked = new Counter({
      name: 'stepwell_snapshots_checked_total',
      help: 'Checked snapshots that matched a second fold of the journal.',
      registers,
    });
    this.#differed = new Counter({
      name: 'stepwell_snapshots_differed_total',
      help: 'Checked snapshots that differed from the fold of the journal: a program defect.',
      registers,
    });
    this.#uncheckable = new Counter({
      name: 'stepwell_snapshot_checks_failed_total',
      help: 'Checks of snapshots that failed without a result.',
      registers,
    });
    this.#digestsSame = new Counter({
      name: 'stepwell_cluster_digests_same_total',
      help: 'Memory digests of the owner that matched on this follower.',
      registers,
    });
    this.#digestsDiffered = new Counter({
      name: 'stepwell_cluster_digests_differed_total',
      help: 'Memory digests of the owner that differed on this follower: a program defect.',
      registers,
    });
    this.#offset = new Gauge({
      name: 'stepwell_snapshot_offset',
      help: 'Journal offset up to which the latest snapshot holds all events.',
      registers,
    });
    this.#bytes = new Gauge({
      name: 'stepwell_snapshot_bytes',
      help: 'Size of the latest snapshot.',
      registers,
    });
    this.#seconds = new Gauge({
      name: 'stepwell_snapshot_last_seconds',
      help: 'Duration of the last snapshot of this process.',
      registers,
    });
    this.#writtenAt = new Gauge({
      name: 'stepwell_snapshot_last_success_timestamp_seconds',
      help: 'When this process last made a snapshot; 0 = no snapshot yet.',
      registers,
    });
    const help = 'Bytes of the journal after the latest snapshot, which a start must fold.';
    gauge(registry, 'stepwell_snapshot_unfolded_bytes', help, unfolded);
  }

  /** Sets which snapshot is the latest one. */
  latest({ offset, byteLength }: Pick<WrittenSnapshot, 'offset' | 'byteLength'>): void {
    this.#offset.set(offset);
    this.#bytes.set(byteLength);
  }

  /** A snapshot was complete at `at`, in Unix ms, after `durationMs`. */
  written(snapshot: WrittenSnapshot, at: number, durationMs: number): void {
    this.#written.inc();
    this.#writtenAt.set(at / 1000);
    this.#seconds.set(durationMs / 1000);
    this.latest(snapshot);
  }

  /** The replayed memory equalled the server's. */
  checked(): void {
    this.#checked.inc();
  }

  /** The replayed memory differed from the server's. */
  differed(): void {
    this.#differed.inc();
  }

  /** A snapshot could not be checked, for a reason other than a stop or a sweep. */
  checkFailed(): void {
    this.#uncheckable.inc();
  }

  /** Whether memory matched what the owner has recorded of its own. */
  compared(isSame: boolean): void {
    if (isSame) this.#digestsSame.inc();
    else this.#digestsDiffered.inc();
  }

  /** A snapshot could not be made, for a reason other than a stop or a sweep. */
  failed(): void {
    this.#failed.inc();
  }
}
