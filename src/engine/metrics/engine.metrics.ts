/** What operators see of turns and commits. */
import { Counter, Histogram, type Registry } from 'prom-client';
import { fastSeconds } from './gauge.js';

const groupSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

export class EngineMetrics {
  readonly #commitSeconds: Histogram;
  readonly #fsyncSeconds: Histogram;
  readonly #groupRecords: Histogram;
  readonly #failedTurns: Counter;
  readonly #refusedReactions: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#commitSeconds = new Histogram({
      name: 'stepwell_commit_seconds',
      help: 'Time to write and sync one commit group.',
      buckets: fastSeconds,
      registers,
    });
    this.#fsyncSeconds = new Histogram({
      name: 'stepwell_fsync_seconds',
      help: 'Time of one fdatasync.',
      buckets: fastSeconds,
      registers,
    });
    this.#groupRecords = new Histogram({
      name: 'stepwell_commit_group_records',
      help: 'Records that shared one commit.',
      buckets: groupSizes,
      registers,
    });
    this.#failedTurns = new Counter({
      name: 'stepwell_failed_turns_total',
      help: 'Turns of the engine that ended in a defect and changed nothing.',
      registers,
    });
    this.#refusedReactions = new Counter({
      name: 'stepwell_refused_reactions_total',
      help: 'Commands of a reaction that were refused and dropped.',
      registers,
    });
  }

  /** One commit group became durable. */
  committed(records: number, seconds: number): void {
    this.#commitSeconds.observe(seconds);
    this.#groupRecords.observe(records);
  }

  /** One fdatasync returned. */
  synced(seconds: number): void {
    this.#fsyncSeconds.observe(seconds);
  }

  /** A decider threw: a defect. */
  turnFailed(): void {
    this.#failedTurns.inc();
  }

  /** A reaction was refused by its decider and dropped. */
  reactionRefused(): void {
    this.#refusedReactions.inc();
  }
}
