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
      help: 'Snapshots of memory that were written.',
      registers,
    });
    this.#failed = new Counter({
      name: 'stepwell_snapshots_failed_total',
      help: 'Snapshots that could not be made; the earlier ones are used.',
      registers,
    });
    this.#checked = new Counter({
      name: 'stepwell_snapshots_checked_total',
      help: 'Snapshots that were folded again from the journal, and were the same.',
      registers,
    });
    this.#differed = new Counter({
      name: 'stepwell_snapshots_differed_total',
      help: 'Snapshots that were not what the journal came to: a defect of the program.',
      registers,
    });
    this.#uncheckable = new Counter({
      name: 'stepwell_snapshot_checks_failed_total',
      help: 'Checks of a snapshot that came to nothing, neither same nor other.',
      registers,
    });
    this.#digestsSame = new Counter({
      name: 'stepwell_cluster_digests_same_total',
      help: 'Digests of memory that the owner has recorded, and that hold on this follower.',
      registers,
    });
    this.#digestsDiffered = new Counter({
      name: 'stepwell_cluster_digests_differed_total',
      help: 'Digests of the owner that do not hold on this follower: a defect of the program.',
      registers,
    });
    this.#offset = new Gauge({
      name: 'stepwell_snapshot_offset',
      help: 'What lies below this offset of the journal is in the latest snapshot.',
      registers,
    });
    this.#bytes = new Gauge({
      name: 'stepwell_snapshot_bytes',
      help: 'Size of the latest snapshot.',
      registers,
    });
    this.#seconds = new Gauge({
      name: 'stepwell_snapshot_last_seconds',
      help: 'Time that the last snapshot took that this process has made.',
      registers,
    });
    this.#writtenAt = new Gauge({
      name: 'stepwell_snapshot_last_success_timestamp_seconds',
      help: 'When this process has last made a snapshot; 0 = it has made none.',
      registers,
    });
    const help = 'Bytes of the journal that no snapshot has: a start folds them.';
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
