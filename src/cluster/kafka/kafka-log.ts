/**
 * The shared log over the Kafka protocol (ADR 68): an entry is a record, and its place is the
 * record's offset. Kafka does not compare places, so the entries themselves provide the fencing. An
 * acknowledged entry is on every in-sync replica, at least two.
 */
import { type Clock, systemClock } from '../../engine/clock.js';
import type { AppendOutcome, CommitLog, ReadEntries, SharedLogEntry } from '../commit-log.js';
import { type LeaderConnection, Leaders, ToLeader } from './brokers.js';
import { type KafkaTarget, parseKafkaUrl } from './kafka-url.js';
import {
  errorCodeOf,
  errorCodes,
  KafkaUnavailable,
  loadProtocol,
  type Protocol,
  type RecordsBatch,
  reasonOf,
} from './protocol.js';
import { prepareTopic } from './topic-check.js';

/** The broker acknowledges once all in-sync replicas have the record. */
const acksAll = -1;

/** The broker answers within this time; even after a timeout the record may be in the log. */
const produceMs = 2000;

/**
 * How long a read waits when it finds nothing. Real brokers answer as soon as an entry comes; the
 * mock brokers of librdkafka answer only at the end, and a takeover waits for several such reads.
 */
const waitMs = 50;

/**
 * The bytes of one read. If an answer takes longer than a request may, the next read asks for less;
 * otherwise a reader behind a slow line would never make progress.
 */
const readBytes = { most: 8 * 1024 * 1024, least: 128 * 1024 } as const;

/** Attribute bits of a record batch (kafka.apache.org/documentation, "Record Batch"). */
const attributes = { logAppendTime: 0x08, control: 0x20 } as const;

const trimMs = 2000;

const partition = 0;
const latest = -1n;
const earliest = -2n;

const unknown: AppendOutcome = { kind: 'unknown' };

/** The leader's answer does not decide whether a place exists: the caller should read again. */
class NotKnownYet extends Error {
  override readonly name = 'NotKnownYet';
}

/**
 * Opens the log that a URL names (`parseKafkaUrl`). Creates the topic if it does not exist. Rejects
 * with `KafkaUrlInvalid`, with `KafkaTopicUnfit` if the topic may lose entries or cannot be written
 * to, and with `KafkaUnavailable` if no broker answers.
 */
export async function openKafkaLog(
  url: string,
  onError?: (error: unknown) => void,
): Promise<KafkaLog> {
  const target = parseKafkaUrl(url);
  const kafka = await loadProtocol();
  await prepareTopic(kafka, target);
  return new KafkaLog(kafka, target, systemClock, onError);
}

/**
 * Created by `openKafkaLog`. Any failure of an append is `unknown`: the entry may have been stored.
 * Reads reject if the leader cannot be reached; the caller tries again.
 */
export class KafkaLog implements CommitLog {
  /**
   * Appends and reads use separate connections, because a broker answers the requests of one
   * connection one after the other.
   */
  private readonly writing: ToLeader;
  private readonly reading: ToLeader;
  private readonly leaders: Leaders;
  /** The append in flight, and whether some of it may have reached the leader. */
  private appending: { isSent: boolean } | null = null;
  private bytesPerRead: number = readBytes.most;
  private isOpen = true;

  /**
   * Expects a topic that is known to be fit: `openKafkaLog` checks that first. `onError` is called
   * with the reason of each failed append or read; the log continues.
   */
  constructor(
    private readonly kafka: Protocol,
    private readonly target: KafkaTarget,
    private readonly clock: Clock,
    private readonly onError: (error: unknown) => void = () => undefined,
  ) {
    this.leaders = new Leaders(kafka, target);
    this.writing = new ToLeader(kafka, target, this.leaders);
    this.reading = new ToLeader(kafka, target, this.leaders);
  }

  /**
   * Appends one entry at a time: an earlier append that has not ended is given up, with its
   * connection. A connection that is still being opened is kept for the next append, because
   * opening may take longer than a node waits for an append. Kafka ignores `expected` and never
   * refuses.
   */
  async append(_expected: number, bytes: Buffer): Promise<AppendOutcome> {
    if (this.appending?.isSent === true) this.writing.drop();
    const own = { isSent: false };
    this.appending = own;
    // A copy, because the client may send the bytes after the append was given up.
    const kept = Buffer.from(bytes);
    try {
      return await this.writing.ask((leader) => {
        if (this.appending !== own) return unknown;
        own.isSent = true;
        return this.produce(leader, kept);
      });
    } catch (error) {
      this.printError(error);
      return unknown;
    } finally {
      // An append that was given up ends only after the next one has begun.
      if (this.appending === own) this.appending = null;
    }
  }

  async read(from: number): Promise<ReadEntries> {
    try {
      return await this.readFrom(from);
    } catch (error) {
      this.printError(error);
      throw error;
    }
  }

  async end(): Promise<number> {
    return (await this.bounds()).end;
  }

  async trim(before: number): Promise<void> {
    const { start, end } = await this.bounds();
    const offset = Math.min(before, end);
    if (offset <= start) return;
    const partitions = [{ partitionIndex: partition, offset: BigInt(offset) }];
    const topics = [{ name: this.target.topic, partitions }];
    // On the same connection, reads would wait until the other replicas have deleted the records.
    const trimming = new ToLeader(this.kafka, this.target, this.leaders);
    await trimming
      .ask(({ connection }) => this.kafka.deleteRecords(connection, topics, trimMs))
      .finally(() => trimming.drop());
  }

  async close(): Promise<void> {
    this.isOpen = false;
    this.writing.drop();
    this.reading.drop();
  }

  private async readFrom(from: number): Promise<ReadEntries> {
    const found = await this.reading.ask((leader) => this.fetch(leader, from));
    if (found !== null) return found;
    const bounds = await this.bounds();
    if (from > bounds.end) await this.mustLead();
    // Between the two answers the log grew or was trimmed: the next read returns the entries.
    return { start: bounds.start, end: bounds.end, entries: [] };
  }

  /** Reports only the text: an error of the client may hold everything that a broker has sent. */
  private printError(error: unknown): void {
    if (this.isOpen) this.onError(new KafkaUnavailable(reasonOf(error)));
  }

  private async produce(leader: LeaderConnection, value: Buffer): Promise<AppendOutcome> {
    const record = {
      topic: this.target.topic,
      partition,
      value,
      timestamp: BigInt(this.clock.now()),
    };
    const answer = await this.kafka.produce(leader.connection, acksAll, produceMs, [record]);
    const stored = typeof answer === 'boolean' ? null : answer.responses[0]?.partitionResponses[0];
    if (stored == null || stored.baseOffset < 0n) return { kind: 'unknown' };
    // -1 if the topic keeps the time that its producer gives.
    const at = stored.logAppendTimeMs < 0n ? null : Number(stored.logAppendTimeMs);
    return { kind: 'stored', place: Number(stored.baseOffset), at };
  }

  /** Reads entries from `from` on; null if the leader has no such place. */
  private async fetch(leader: LeaderConnection, from: number): Promise<ReadEntries | null> {
    const { topic: topicId } = this.target;
    const bytes = this.bytesPerRead;
    const asked = {
      partition,
      currentLeaderEpoch: leader.epoch,
      fetchOffset: BigInt(from),
      lastFetchedEpoch: -1,
      partitionMaxBytes: bytes,
    };
    const topics = [{ topicId, partitions: [asked] }];
    const answer = await this.kafka
      .fetch(leader.connection, waitMs, 1, bytes, 0, 0, -1, topics, [], '')
      .catch((error: unknown) => {
        if (errorCodeOf(error) === errorCodes.offsetOutOfRange) return null;
        this.bytesPerRead = Math.max(readBytes.least, bytes / 4);
        throw error;
      });
    if (answer === null) return null;
    this.bytesPerRead = Math.min(readBytes.most, bytes * 2);
    const found = answer.responses[0]?.partitions[0];
    if (found === undefined) throw new NotKnownYet('the broker has left the topic out');
    const end = Number(found.highWatermark);
    // A new leader has the entries, but learns only later that the other replicas have them
    // (KIP-207).
    if (end < from) throw new NotKnownYet(`the leader answers for places before ${end} as yet`);
    const entries = (found.records ?? []).flatMap(entriesOf).filter(({ place }) => place >= from);
    return { start: Number(found.logStartOffset), end, entries };
  }

  private async bounds(): Promise<{ readonly start: number; readonly end: number }> {
    return this.reading.ask(async (leader) => ({
      start: await this.offsetAt(leader, earliest),
      end: await this.offsetAt(leader, latest),
    }));
  }

  private async offsetAt(leader: LeaderConnection, timestamp: bigint): Promise<number> {
    const asked = { partitionIndex: partition, currentLeaderEpoch: leader.epoch, timestamp };
    const topics = [{ name: this.target.topic, partitions: [asked] }];
    const answer = await this.kafka.listOffsets(leader.connection, -1, 0, topics);
    const offset = answer.topics[0]?.partitions[0]?.offset;
    if (offset === undefined) throw new NotKnownYet('the broker has left the topic out');
    return Number(offset);
  }

  /**
   * Called when a place that was read before seems to be missing. A former leader that is cut off
   * from the others answers the same although nothing is missing; then this rejects.
   */
  private mustLead(): Promise<void> {
    return this.reading.ask(async ({ epoch }) => {
      const newest = await this.leaders.newest();
      if (newest.epoch > epoch) throw new NotKnownYet('another broker leads by now');
    });
  }
}

/**
 * A marker of a transaction is left out: its place is then missing, and every reader sees it. A
 * time that the producer gave says nothing of the log's clock: the entry may have been on its way
 * for long. A topic whose time was changed after `prepareTopic` has such entries.
 */
function entriesOf(batch: RecordsBatch): SharedLogEntry[] {
  if ((batch.attributes & attributes.control) !== 0) return [];
  const isLogTime = (batch.attributes & attributes.logAppendTime) !== 0;
  return batch.records.map(({ offsetDelta, value }) => ({
    place: Number(batch.firstOffset) + offsetDelta,
    at: isLogTime ? Number(batch.maxTimestamp) : null,
    bytes: value ?? Buffer.alloc(0),
  }));
}
