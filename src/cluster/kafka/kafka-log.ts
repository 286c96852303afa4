/**
 * The shared log on the protocol of Kafka (ADR 68): an entry is a record, its place the record's
 * offset. Kafka does not compare places, so the entries themselves fence. What it acknowledges is
 * on every replica that is in step, two at least.
 */
import { type Clock, systemClock } from '../../engine/clock.js';
import type { AppendOutcome, CommitLog, ReadEntries, SharedLogEntry } from '../commit-log.js';
import { type LeaderConnection, Leaders, ToLeader } from './brokers.js';
import { type KafkaTarget, parseKafkaUrl } from './kafka-url.js';
import {
  errorCodeOf,
  errorCodes,
  loadProtocol,
  type Protocol,
  type RecordsBatch,
} from './protocol.js';
import { prepareTopic } from './topic-check.js';

/** All replicas that are in step have it. */
const acksAll = -1;

/** The broker answers by then: the record may be in the log all the same. */
const produceMs = 2000;

/**
 * A read that finds nothing waits for so long. Brokers answer as soon as an entry comes; mock
 * brokers of librdkafka answer at the end, which a takeover then pays several times.
 */
const waitMs = 50;

const readBytesMax = 8 * 1024 * 1024;

/** Of a batch of records (kafka.apache.org/documentation, "Record Batch"). */
const attributes = { logAppendTime: 0x08, control: 0x20 } as const;

const trimMs = 2000;

const partition = 0;
const latest = -1n;
const earliest = -2n;

const unknown: AppendOutcome = { kind: 'unknown' };

/** A place that the leader has answered about cannot be judged: a read again tells more. */
class NotKnownYet extends Error {
  override readonly name = 'NotKnownYet';
}

/**
 * Opens the log that a URL names (`parseKafkaUrl`). Makes the topic where there is none. Rejects
 * with `KafkaUrlInvalid`, with `KafkaTopicUnfit` where the topic may lose entries, and with
 * `KafkaUnavailable` where no broker answers.
 */
export async function openKafkaLog(url: string, clock: Clock = systemClock): Promise<KafkaLog> {
  const target = parseKafkaUrl(url);
  const kafka = await loadProtocol();
  await prepareTopic(kafka, target);
  return new KafkaLog(kafka, target, clock);
}

/**
 * Made by `openKafkaLog`. Any failure of an append is `unknown`: it may have been stored. Reads
 * reject where the leader cannot be asked; the caller asks again.
 */
export class KafkaLog implements CommitLog {
  /** Reads have one of their own: a broker answers a connection's requests one after the other. */
  private readonly writing: ToLeader;
  private readonly reading: ToLeader;
  private readonly leaders: Leaders;
  /** The append under way, and whether some of it may have reached the leader. */
  private appending: { isSent: boolean } | null = null;

  /** Over a topic that is known to be fit: `openKafkaLog` looks first. */
  constructor(
    private readonly kafka: Protocol,
    private readonly target: KafkaTarget,
    private readonly clock: Clock,
  ) {
    this.leaders = new Leaders(kafka, target);
    this.writing = new ToLeader(kafka, target, this.leaders);
    this.reading = new ToLeader(kafka, target, this.leaders);
  }

  /**
   * One at a time: an earlier one that has not ended is given up, with its connection. One that is
   * still being opened serves the next: it may take longer than a node waits for an append. Kafka
   * does not look at `expected`, and refuses nothing.
   */
  async append(_expected: number, bytes: Buffer): Promise<AppendOutcome> {
    if (this.appending?.isSent === true) this.writing.drop();
    const own = { isSent: false };
    this.appending = own;
    // The client may send it after it was given up.
    const kept = Buffer.from(bytes);
    try {
      return await this.writing.ask((leader) => {
        if (this.appending !== own) return unknown;
        own.isSent = true;
        return this.produce(leader, kept);
      });
    } catch {
      return unknown;
    } finally {
      // One that was given up ends after the next one has begun.
      if (this.appending === own) this.appending = null;
    }
  }

  async read(from: number): Promise<ReadEntries> {
    const found = await this.reading.ask((leader) => this.fetch(leader, from));
    if (found !== null) return found;
    const bounds = await this.bounds();
    if (from > bounds.end) await this.mustLead();
    // Between the two answers the log has grown, or was trimmed: entries come with the next read.
    return { start: bounds.start, end: bounds.end, entries: [] };
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
    await this.reading.ask(({ connection }) =>
      this.kafka.deleteRecords(connection, topics, trimMs),
    );
  }

  async close(): Promise<void> {
    this.writing.drop();
    this.reading.drop();
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

  /** Null where the leader has no such place. */
  private async fetch(leader: LeaderConnection, from: number): Promise<ReadEntries | null> {
    const { topic: topicId } = this.target;
    const asked = {
      partition,
      currentLeaderEpoch: leader.epoch,
      fetchOffset: BigInt(from),
      lastFetchedEpoch: -1,
      partitionMaxBytes: readBytesMax,
    };
    const topics = [{ topicId, partitions: [asked] }];
    const answer = await this.kafka
      .fetch(leader.connection, waitMs, 1, readBytesMax, 0, 0, -1, topics, [], '')
      .catch((error: unknown) => {
        if (errorCodeOf(error) === errorCodes.offsetOutOfRange) return null;
        throw error;
      });
    if (answer === null) return null;
    const found = answer.responses[0]?.partitions[0];
    if (found === undefined) throw new NotKnownYet('the broker has left the topic out');
    const end = Number(found.highWatermark);
    // A new leader has the entries, and learns late that the others have them too (KIP-207).
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
   * A place that was read before is missing. A broker that led once and is cut off from the others
   * says the same, and nothing is missing then.
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
