/** What operators see: one typed class, so that no call site spells a metric's name. */
import { Counter, Histogram, Registry } from 'prom-client';
import { type Clock, systemClock } from '../../engine/clock.js';
import { fastSeconds, InboundMetrics } from './inbound-metrics.js';
import { gauge, ProcessMetrics } from './process-metrics.js';

/** How an attempt to deliver ended; a cut one does not count as an attempt. */
export type AttemptEnd = 'delivered' | 'retried' | 'failed' | 'cut';

/** What a held delivery waited for: the answer that it was held for, or the longest time. */
export type HoldEnd = 'answer' | 'limit';

/** How a workflow run ended. */
export type RunOutcome = 'succeeded' | 'failed' | 'canceled';

const callSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];
const groupSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

export class Metrics {
  readonly #registry = new Registry();
  readonly #registers = [this.#registry];
  readonly #process: ProcessMetrics;
  /** Requests and connections. */
  readonly inbound = new InboundMetrics(this.#registry);

  readonly #commitSeconds = new Histogram({
    name: 'stepwell_commit_seconds',
    help: 'Time to write and sync one commit group.',
    buckets: fastSeconds,
    registers: this.#registers,
  });
  readonly #fsyncSeconds = new Histogram({
    name: 'stepwell_fsync_seconds',
    help: 'Time of one fdatasync.',
    buckets: fastSeconds,
    registers: this.#registers,
  });
  readonly #groupRecords = new Histogram({
    name: 'stepwell_commit_group_records',
    help: 'Records that shared one commit.',
    buckets: groupSizes,
    registers: this.#registers,
  });
  readonly #attempts = new Counter({
    name: 'stepwell_attempts_total',
    help: 'Attempts to deliver, by how they ended.',
    labelNames: ['outcome'],
    registers: this.#registers,
  });
  readonly #attemptSeconds = new Histogram({
    name: 'stepwell_attempt_seconds',
    help: 'Time of one attempt to deliver.',
    buckets: callSeconds,
    registers: this.#registers,
  });
  readonly #heldDeliveries = new Counter({
    name: 'stepwell_held_deliveries_total',
    help: 'Deliveries of runs that were held for the answer to the one before, by what ended it.',
    labelNames: ['until'],
    registers: this.#registers,
  });
  readonly #startedRuns = new Counter({
    name: 'stepwell_runs_started_total',
    help: 'Workflow runs started.',
    registers: this.#registers,
  });
  readonly #endedRuns = new Counter({
    name: 'stepwell_runs_ended_total',
    help: 'Workflow runs ended, by how.',
    labelNames: ['outcome'],
    registers: this.#registers,
  });
  readonly #rebalances = new Counter({
    name: 'stepwell_rebalances_total',
    help: 'Generations of consumer groups: changes of members or of what they own.',
    registers: this.#registers,
  });
  readonly #subscriptionRecords = new Counter({
    name: 'stepwell_subscription_records_total',
    help: 'Records that subscriptions made messages of, and offsets that they passed by.',
    labelNames: ['outcome'],
    registers: this.#registers,
  });
  readonly #failedTurns = new Counter({
    name: 'stepwell_failed_turns_total',
    help: 'Turns of the engine that ended in a defect and changed nothing.',
    registers: this.#registers,
  });
  readonly #refusedReactions = new Counter({
    name: 'stepwell_refused_reactions_total',
    help: 'Commands of a reaction that were refused and dropped.',
    registers: this.#registers,
  });

  constructor(clock: Pick<Clock, 'monotonic'> = systemClock) {
    this.#process = new ProcessMetrics(this.#registry, clock);
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

  attemptEnded(outcome: AttemptEnd, seconds: number): void {
    this.#attempts.inc({ outcome });
    this.#attemptSeconds.observe(seconds);
  }

  deliveriesLetGo(until: HoldEnd, count: number): void {
    this.#heldDeliveries.inc({ until }, count);
  }

  runStarted(): void {
    this.#startedRuns.inc();
  }

  runEnded(outcome: RunOutcome): void {
    this.#endedRuns.inc({ outcome });
  }

  groupRebalanced(): void {
    this.#rebalances.inc();
  }

  /** `skipped` are offsets that no message was made of. */
  recordsPushed(records: number, skipped: number): void {
    this.#subscriptionRecords.inc({ outcome: 'pushed' }, records);
    this.#subscriptionRecords.inc({ outcome: 'skipped' }, skipped);
  }

  turnFailed(): void {
    this.#failedTurns.inc();
  }

  reactionRefused(): void {
    this.#refusedReactions.inc();
  }

  /** `read` tells how many messages wait for delivery, whenever somebody asks. Once only. */
  watchBacklog(read: () => number): void {
    this.#watch('stepwell_backlog_messages', 'Messages accepted and not final.', read);
  }

  /** `read` tells how many runs have not ended, whenever somebody asks. Once only. */
  watchActiveRuns(read: () => number): void {
    this.#watch('stepwell_active_runs', 'Workflow runs that have not ended.', read);
  }

  /** `read` tells how many attempts are due and wait for a limit to let them start. Once only. */
  watchWaiting(read: () => number): void {
    this.#watch('stepwell_waiting_attempts', 'Attempts that wait for a limit.', read);
  }

  /** `read` tells how many messages failed for good and are kept. Once only. */
  watchDeadLetters(read: () => number): void {
    this.#watch('stepwell_dead_letters', 'Messages that failed for good and are kept.', read);
  }

  /** `read` tells how many messages are pending in queues, whenever somebody asks. Once only. */
  watchQueueLag(read: () => number): void {
    this.#watch('stepwell_queue_lag_messages', 'Messages in queues that are not final.', read);
  }

  /** `read` tells how many partitions all topics have, whenever somebody asks. Once only. */
  watchTopicPartitions(read: () => number): void {
    this.#watch('stepwell_topic_partitions', 'Partitions of all topics.', read);
  }

  /** `read` tells how many bytes all topics hold, whenever somebody asks. Once only. */
  watchTopicBytes(read: () => number): void {
    this.#watch('stepwell_topic_bytes', 'Bytes that the records of topics take.', read);
  }

  /** `read` tells how many damaged ranges are known in all topics, whenever somebody asks. Once. */
  watchDamagedRanges(read: () => number): void {
    const help = 'Ranges of offsets of topics that are damaged and cannot be read.';
    this.#watch('stepwell_topic_damaged_ranges', help, read);
  }

  /** `read` tells how many consumer groups there are, whenever somebody asks. Once only. */
  watchConsumerGroups(read: () => number): void {
    this.#watch('stepwell_consumer_groups', 'Consumer groups.', read);
  }

  /** `read` tells how many consumer instances are active, whenever somebody asks. Once only. */
  watchConsumerInstances(read: () => number): void {
    this.#watch('stepwell_consumer_instances', 'Consumer instances that are active.', read);
  }

  /** `read` tells whether no record is too old because the clock has jumped. Once only. */
  watchRetentionPause(read: () => boolean): void {
    const help = '1 while no record is too old, because the clock has jumped ahead.';
    this.#watch('stepwell_retention_paused', help, () => Number(read()));
  }

  /** All metrics in the text format of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Stops measuring the event loop. */
  close(): void {
    this.#process.close();
  }

  #watch(name: string, help: string, read: () => number): void {
    gauge(this.#registry, name, help, read);
  }
}
