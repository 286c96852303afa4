/**
 * The partition logs of every topic: the only feature that creates, trims and drops logs. Records
 * go directly from a request into their log; the engine decides only about the topic.
 */
import { Inject, Injectable } from '@nestjs/common';
import { DiskFull, LogClosed } from '../../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { Store } from '../../../storage/store.js';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import { sealUpTo } from './sealed-part.js';
import type { Trim } from './topic.events.js';
import type { KeepPartitionLogs } from './topic.state.js';
import { type PartitionPlace, topicLogName } from './topic-log-name.js';

type Logs = readonly PartitionLog[];

/** A topic whose logs are being opened. */
interface Opening {
  /**
   * Resolves with undefined if the topic was deleted before; rejects with `DiskFull` if there is no
   * space.
   */
  readonly logs: Promise<Logs | undefined>;
  readonly resolve: (logs: Logs | undefined) => void;
  readonly reject: (full: DiskFull) => void;
}

/**
 * One instance for the server. Operations on the logs of one topic run one after the other; topics
 * do not wait for each other.
 */
@Injectable()
export class TopicLogs {
  private readonly ready = new Map<string, Logs>();
  private readonly openings = new Map<string, Opening>();
  /** The last queued operation on each topic's logs. */
  private readonly turns = new Map<string, Promise<void>>();
  private readonly internalLogs = new Map<string, PartitionLog>();
  private readonly listeners: ((topic: string) => void)[] = [];
  private readonly hooks: ((topic: string) => Promise<void>)[] = [];

  /**
   * `failed` is called when logs cannot be created or dropped, after which the server cannot
   * continue.
   */
  constructor(
    private readonly store: Store,
    @Inject(provided.fatal) private readonly failed: (error: unknown) => void,
  ) {}

  /**
   * The partition logs of a topic; undefined if the topic does not exist (any more). Rejects with
   * `DiskFull` if there is no space for them yet.
   */
  async logs(topic: string): Promise<Logs | undefined> {
    return this.ready.get(topic) ?? this.openings.get(topic)?.logs;
  }

  /** The log of one partition; 404 if it does not exist. */
  async partition({ topic, partition }: PartitionPlace): Promise<PartitionLog | Refusal> {
    const logs = await this.logs(topic);
    if (logs === undefined) return unknownTopic(topic);
    return logs[partition] ?? unknownPartition(topic, partition);
  }

  /**
   * The logs of partitions, in the order of `places`; 404 for the first one that does not exist.
   */
  async partitions(places: readonly PartitionPlace[]): Promise<Logs | Refusal> {
    const found: PartitionLog[] = [];
    for (const place of places) {
      const log = await this.partition(place);
      if (log instanceof Refusal) return log;
      found.push(log);
    }
    return found;
  }

  /** The logs that exist at this moment: none for a topic that is still being created. */
  present(topic: string): Logs {
    return this.ready.get(topic) ?? [];
  }

  /**
   * The logs of a topic that was just created or has grown, once `partitions` of them are open; the
   * effect that opens them may not have started yet. Undefined once `exists` says that the topic is
   * deleted, because its logs are then never opened. Rejects with `DiskFull` if there is no space.
   */
  async opened(
    topic: string,
    partitions: number,
    exists: () => boolean,
  ): Promise<Logs | undefined> {
    while (exists()) {
      const present = this.present(topic);
      if (present.length >= partitions) return present;
      await this.opening(topic).logs;
    }
    return undefined;
  }

  /** The logs of the server's own topics, by name. */
  get internal(): ReadonlyMap<string, PartitionLog> {
    return this.internalLogs;
  }

  /** Bytes of all topics' logs, including the server's own. */
  get byteLength(): number {
    let sum = 0;
    for (const logs of [...this.ready.values(), [...this.internalLogs.values()]]) {
      for (const { byteLength } of logs) sum += byteLength;
    }
    return sum;
  }

  /** Number of unreadable ranges in all topics; the server's own topics have none. */
  get damagedRanges(): number {
    let sum = 0;
    for (const logs of this.ready.values()) for (const { damages } of logs) sum += damages.length;
    return sum;
  }

  /**
   * Opens the only log of one of the server's own topics, whose names begin with `__`. The log is
   * created if missing, compacted from time to time (the last record of each key stays), and hidden
   * from clients.
   */
  async openInternal(name: string): Promise<PartitionLog> {
    const log = await this.open(name, 0);
    this.internalLogs.set(name, log);
    return log;
  }

  /**
   * `listener` is called when logs of a topic have become available: the topic was created or has
   * grown, or the server has started.
   */
  onPartitions(listener: (topic: string) => void): void {
    this.listeners.push(listener);
  }

  /**
   * `hook` runs after the logs of a deleted topic are gone, and is awaited before another topic may
   * take the name; after a crash in between it runs again. Call this before recovery.
   */
  onDropped(hook: (topic: string) => Promise<void>): void {
    this.hooks.push(hook);
  }

  /**
   * Creates missing logs (logs that a crash left behind are reused), hides the records below the
   * trims before any reader can see them, and then removes what can be removed.
   */
  keep(topic: string, effect: KeepPartitionLogs, isWanted: () => boolean): void {
    if (!this.ready.has(topic)) this.opening(topic);
    this.inTurn(topic, async () => {
      const logs: PartitionLog[] = [];
      while (logs.length < effect.partitions && isWanted()) {
        logs.push(await this.open(topic, logs.length));
      }
      if (!isWanted()) return;
      for (const { partition, before } of effect.trims) logs[partition]?.hideBelow(before);
      this.publish(topic, logs);
      await trimAll(logs, effect.trims);
    });
  }

  /**
   * Makes the records below the trims unreadable at once, and removes what can be removed before it
   * resolves. Rejects with `DiskFull` if some cannot be removed for lack of disk space.
   */
  async trim(topic: string, trims: readonly Trim[]): Promise<void> {
    const logs = this.present(topic);
    for (const { partition, before } of trims) logs[partition]?.hideBelow(before);
    await trimAll(logs, trims);
  }

  /** Drops the logs, runs the hooks, then calls `done`. */
  drop(topic: string, partitions: number, done: () => void): void {
    this.ready.delete(topic);
    this.inTurn(topic, async () => {
      this.settle(topic, undefined);
      for (let partition = 0; partition < partitions; partition += 1) {
        await this.store.dropLog(topicLogName(topic, partition));
      }
      for (const hook of this.hooks) await hook(topic);
      this.turns.delete(topic);
      done();
    });
  }

  private async open(topic: string, partition: number): Promise<PartitionLog> {
    const name = topicLogName(topic, partition);
    return this.store.log(name) ?? (await this.store.createLog(name, {}));
  }

  private publish(topic: string, logs: Logs): void {
    const before = this.present(topic).length;
    this.ready.set(topic, logs);
    this.settle(topic, logs);
    if (logs.length > before) for (const listener of this.listeners) listener(topic);
  }

  /**
   * Queues an operation of a topic. If it finds no disk space, it is repeated from its beginning
   * once there is space.
   */
  private inTurn(topic: string, work: () => Promise<void>): void {
    const done = (this.turns.get(topic) ?? Promise.resolve()).then(work).catch((error) => {
      if (error instanceof DiskFull) this.tryLater(topic, work, error);
      // The server is stopping, or the topic is being dropped. Nothing is lost: the topic's state
      // says what still has to be done.
      else if (!(error instanceof LogClosed)) this.failed(error);
    });
    this.turns.set(topic, done);
  }

  /** Current waiters for logs get the error; later requests wait for the next try. */
  private tryLater(topic: string, work: () => Promise<void>, full: DiskFull): void {
    const opening = this.openings.get(topic);
    if (opening !== undefined) {
      this.openings.delete(topic);
      this.opening(topic);
      opening.reject(full);
    }
    this.store.freeSpace.whenRoom(() => this.inTurn(topic, work));
  }

  private opening(topic: string): Opening {
    const known = this.openings.get(topic);
    if (known !== undefined) return known;
    let resolve: Opening['resolve'] = () => undefined;
    let reject: Opening['reject'] = () => undefined;
    const logs = new Promise<Logs | undefined>((settle, refuse) => {
      resolve = settle;
      reject = refuse;
    });
    // Avoids an unhandled rejection if no caller awaits it.
    logs.catch(() => undefined);
    const opening = { logs, resolve, reject };
    this.openings.set(topic, opening);
    return opening;
  }

  private settle(topic: string, logs: Logs | undefined): void {
    this.openings.get(topic)?.resolve(logs);
    this.openings.delete(topic);
  }
}

/** Trims all logs, even if some find no disk space: the other trims free space. */
async function trimAll(logs: Logs, trims: readonly Trim[]): Promise<void> {
  let full: DiskFull | null = null;
  const unlessFull = (error: unknown) => {
    if (!(error instanceof DiskFull)) throw error;
    full = error;
  };
  for (const { partition, before } of trims) {
    const log = logs[partition];
    if (log === undefined) continue;
    await sealUpTo(log, before).catch(unlessFull);
    await log.trimTo(before).catch(unlessFull);
  }
  if (full !== null) throw full;
}

/** 404: there is no topic with this name. */
export function unknownTopic(topic: string): Refusal {
  return new Refusal('not_found', `topic ${topic} not found`);
}

/** 404: the topic exists, but has fewer partitions. */
export function unknownPartition(topic: string, partition: number): Refusal {
  return new Refusal('not_found', `${topic} has no partition ${partition}`);
}
