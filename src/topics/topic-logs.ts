/**
 * The partition logs of every topic: the one feature file that touches the log. Records go straight
 * from a request into their log; the engine decides only whether the topic exists.
 */
import type { PartitionLog } from '../../storage/partition-log.js';
import type { Store } from '../../storage/store.js';
import type { EffectCarrier, EffectSource } from '../engine/registration.js';
import type { KeepPartitionLogs } from './topic.decider.js';

/** The name of a partition's log in the store; it never names a file. */
function logName(topic: string, partition: number): string {
  return `topic/${topic}/${partition}`;
}

/** A topic whose logs are being created, for those who wait for them. */
interface Opening {
  readonly logs: Promise<readonly PartitionLog[]>;
  readonly resolve: (logs: readonly PartitionLog[]) => void;
}

export class TopicLogs implements EffectCarrier<KeepPartitionLogs> {
  private readonly ready = new Map<string, readonly PartitionLog[]>();
  private readonly openings = new Map<string, Opening>();

  /** `failed` is told when a log cannot be created: without it the topic cannot be served. */
  constructor(
    private readonly store: Store,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Creates the logs that are missing; those that a crash left behind are found again. */
  start({ id }: EffectSource, { partitions }: KeepPartitionLogs): () => void {
    const opening = this.opening(id);
    this.open(id, partitions).then(opening.resolve, this.failed);
    return () => {};
  }

  /** The partition logs of a topic; undefined if it does not exist. */
  async logs(topic: string): Promise<readonly PartitionLog[] | undefined> {
    return this.ready.get(topic) ?? this.openings.get(topic)?.logs;
  }

  /** The partition logs of a topic that was just created: its effect is about to start. */
  opened(topic: string): Promise<readonly PartitionLog[]> {
    const ready = this.ready.get(topic);
    return ready === undefined ? this.opening(topic).logs : Promise.resolve(ready);
  }

  private async open(topic: string, partitions: number): Promise<readonly PartitionLog[]> {
    const logs: PartitionLog[] = [];
    for (let partition = 0; partition < partitions; partition += 1) {
      const name = logName(topic, partition);
      logs.push(this.store.log(name) ?? (await this.store.createLog(name, {})));
    }
    this.ready.set(topic, logs);
    this.openings.delete(topic);
    return logs;
  }

  private opening(topic: string): Opening {
    const known = this.openings.get(topic);
    if (known !== undefined) return known;
    let resolve: Opening['resolve'] = () => undefined;
    const logs = new Promise<readonly PartitionLog[]>((settle) => {
      resolve = settle;
    });
    const opening = { logs, resolve };
    this.openings.set(topic, opening);
    return opening;
  }
}
