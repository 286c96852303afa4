/** What operators see: one typed class, so that no call site spells a metric's name. */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** How an attempt to deliver ended; a cut one does not count as an attempt. */
export type AttemptEnd = 'delivered' | 'retried' | 'failed' | 'cut';

/** How a workflow run ended. */
export type RunOutcome = 'succeeded' | 'failed' | 'canceled';

const fastSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const callSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];
const groupSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const delayQuantiles = [50, 99, 100];
const nanosecondsPerSecond = 1e9;

export class Metrics {
  readonly #registry = new Registry();
  readonly #registers = [this.#registry];
  readonly #loopDelay: IntervalHistogram = monitorEventLoopDelay({ resolution: 20 });

  readonly #requests = new Counter({
    name: 'stepwell_http_requests_total',
    help: 'Requests answered, by route pattern.',
    labelNames: ['method', 'route', 'status'],
    registers: this.#registers,
  });
  readonly #requestSeconds = new Histogram({
    name: 'stepwell_http_request_seconds',
    help: 'Time from the request head to the end of the answer.',
    labelNames: ['method', 'route'],
    buckets: fastSeconds,
    registers: this.#registers,
  });
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

  /** Bounded: methods, statuses and route patterns are. */
  readonly #requestKinds = new Map<
    string,
    { readonly count: Counter.Internal; readonly duration: Histogram.Internal<string> }
  >();

  constructor() {
    this.#loopDelay.enable();
    this.#watchProcess();
  }

  /** One request was answered; `route` is the pattern, never the path: a path has no bound. */
  requestAnswered(method: string, route: string, status: number, seconds: number): void {
    const key = `${method} ${status} ${route}`;
    const known = this.#requestKinds.get(key);
    if (known !== undefined) {
      known.count.inc();
      known.duration.observe(seconds);
      return;
    }
    // The registry sorts and joins labels on every call; a kind of request is looked up once.
    this.#requestKinds.set(key, {
      count: this.#requests.labels({ method, route, status }),
      duration: this.#requestSeconds.labels({ method, route }),
    });
    this.requestAnswered(method, route, status, seconds);
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
    this.#loopDelay.disable();
  }

  #watchProcess(): void {
    this.#watch('stepwell_resident_memory_bytes', 'Resident memory of the process.', () =>
      process.memoryUsage.rss(),
    );
    const loopDelay = this.#loopDelay;
    new Gauge({
      name: 'stepwell_event_loop_delay_seconds',
      help: 'Delay of the event loop since the last reading, by percentile.',
      labelNames: ['percentile'],
      registers: this.#registers,
      collect() {
        for (const percentile of delayQuantiles) {
          const seconds = loopDelay.percentile(percentile) / nanosecondsPerSecond;
          this.set({ percentile }, seconds);
        }
        loopDelay.reset();
      },
    });
  }

  #watch(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: this.#registers,
      collect() {
        this.set(read());
      },
    });
  }
}
