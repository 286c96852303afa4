/** Metrics of turns and commits. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../clock.js';
import { fastSeconds } from './gauge.js';

const groupSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/** Also observes the store: commits and syncs are those of all logs, not of the journal alone. */
export class EngineMetrics {
  readonly #commitSeconds: Histogram;
  readonly #fsyncSeconds: Histogram;
  readonly #groupRecords: Histogram;
  readonly #failedTurns: Counter;
  readonly #refusedReactions: Counter;

  constructor(
    registry: Registry,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {
    const registers = [registry];
    this.#commitSeconds = new Histogram({
      name: 'stepwell_commit_seconds',
      help: 'Time to write and sync one commit group.',
      buckets: fastSeconds,
      registers,
    });
    this.#fsyncSeconds = new Histogram({
      name: 'stepwell_fsync_seconds',
      help: 'Time of one sync: of a commit group, a new file, or a directory entry.',
      buckets: fastSeconds,
      registers,
    });
    this.#groupRecords = new Histogram({
      name: 'stepwell_commit_group_records',
      help: 'Records in one commit group.',
      buckets: groupSizes,
      registers,
    });
    this.#failedTurns = new Counter({
      name: 'stepwell_failed_turns_total',
      help: 'Turns of the engine that failed with a defect and changed nothing.',
      registers,
    });
    this.#refusedReactions = new Counter({
      name: 'stepwell_refused_reactions_total',
      help: 'Commands from reactions that were refused and dropped.',
      registers,
    });
  }

  /** A commit group goes to the disk; call the returned function when it is durable. */
  readonly committing = (records: number): (() => void) => {
    const startedAt = this.clock.monotonic();
    return () => {
      this.#commitSeconds.observe((this.clock.monotonic() - startedAt) / 1000);
      this.#groupRecords.observe(records);
    };
  };

  /** An fdatasync, or a write with a sync, begins; call the returned function when it has ended. */
  readonly syncing = (): (() => void) => {
    const startedAt = this.clock.monotonic();
    return () => this.#fsyncSeconds.observe((this.clock.monotonic() - startedAt) / 1000);
  };

  /** A decider threw: a defect. */
  turnFailed(): void {
    this.#failedTurns.inc();
  }

  /** A reaction was refused by its decider and dropped. */
  reactionRefused(): void {
    this.#refusedReactions.inc();
  }
}
