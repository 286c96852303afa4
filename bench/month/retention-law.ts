/**
 * What retention asks a server to keep, in bytes, worked out from what was appended alone and not
 * from what sweeps do:
 *
 *     a message, a run with its messages    until it ends, and STEPWELL_LOG_RETENTION longer
 *     the same where it has failed          until it ends, and STEPWELL_DLQ_RETENTION longer
 *     what lives for years                  its last checkpoint, what came after that, and all
 *                                           within STEPWELL_LOG_RETENTION
 *     definitions of the journal            always
 *
 * A record weighs what it has in its batch, with its part of the header, and its entries in the
 * index of its segment.
 */
import { type DomainEvent, type EventEnvelope, isCheckpoint } from '../../src/engine/decider.js';
import type { Engine } from '../../src/engine/engine.js';
import type { EventCodec } from '../../src/engine/event-codec.js';
import { messageKind } from '../../src/messaging/messages/message.events.js';
import { runKind } from '../../src/workflows/run-state/run.events.js';
import { recordLength } from '../../storage/format/record-encoding.js';
import type { PartitionLog } from '../../storage/log/partition-log.js';

/** Milliseconds. */
export interface Retentions {
  readonly logMs: number;
  readonly deadLetterMs: number;
}

/** A message, or a run with its messages. */
interface Life {
  readonly kind: string;
  readonly id: string;
  bytes: number;
  lastAt: number;
  hasFailed: boolean;
}

/** What lives for years: its events, the oldest first. */
interface LastingLife {
  events: { readonly at: number; readonly bytes: number; readonly isCheckpoint: boolean }[];
}

/** Of one term of one record. */
const indexEntryBytes = 8;
const readBytes = 1024 * 1024;
const failures: readonly string[] = ['MessageFailed', 'RunFailed'];

export class RetentionLaw {
  private readonly lives = new Map<string, Life>();
  private readonly lasting = new Map<string, LastingLife>();
  /** Of messages of runs. */
  private readonly runs = new Map<string, string>();
  private definitionBytes = 0;
  private offset: number;

  constructor(
    private readonly engine: Engine,
    private readonly journal: PartitionLog,
    private readonly codec: EventCodec,
    private readonly retentions: Retentions,
  ) {
    this.offset = journal.startOffset;
  }

  /** Takes in what was appended since the last call; nothing of that may have been swept. */
  async follow(): Promise<void> {
    while (this.offset < this.journal.highWatermark) {
      for (const batch of await this.journal.read(this.offset, { maxBytes: readBytes })) {
        const records = batch.records();
        const own = records.map((record) => recordLength(record));
        const header = batch.byteLength - own.reduce((sum, bytes) => sum + bytes, 0);
        for (const [index, record] of records.entries()) {
          const indexed = record.terms.length * indexEntryBytes;
          const bytes = (own[index] ?? 0) + header / records.length + indexed;
          this.take(this.codec.decode(record), bytes);
        }
        this.offset = batch.nextOffset;
      }
    }
  }

  /** Bytes that have to be kept at `at`. */
  bytesAt(at: number): number {
    let bytes = this.definitionBytes;
    for (const [name, life] of this.lives) {
      const retentionMs = life.hasFailed ? this.retentions.deadLetterMs : this.retentions.logMs;
      const isKept = life.lastAt + retentionMs > at || this.isAlive(life);
      if (isKept) bytes += life.bytes;
      else this.lives.delete(name);
    }
    for (const life of this.lasting.values()) {
      const checkpoint = life.events.findLastIndex((event) => event.isCheckpoint);
      life.events = life.events.filter(
        (event, index) => index >= checkpoint || event.at + this.retentions.logMs > at,
      );
      for (const event of life.events) bytes += event.bytes;
    }
    return bytes;
  }

  private isAlive({ kind, id }: Life): boolean {
    return this.engine.actors(kind).has(id);
  }

  private take(envelope: EventEnvelope | null, bytes: number): void {
    if (envelope === null) {
      this.definitionBytes += bytes;
      return;
    }
    const { kind, id, at, event } = envelope;
    if (this.engine.actors(kind).decider.checkpoints !== undefined) {
      const name = `${kind}/${id}`;
      const life = this.lasting.get(name) ?? { events: [] };
      life.events.push({ at, bytes, isCheckpoint: isCheckpoint(event) });
      this.lasting.set(name, life);
      return;
    }
    const life = this.lifeOf(envelope);
    life.bytes += bytes;
    life.lastAt = at;
    life.hasFailed ||= failures.includes(event.type);
  }

  /** A message of a run is a part of the run's life. */
  private lifeOf({ kind, id, event }: EventEnvelope): Life {
    const run = kind === messageKind ? this.runOf(id, event) : undefined;
    const [ownKind, ownId] = run === undefined ? [kind, id] : [runKind, run];
    const name = `${ownKind}/${ownId}`;
    let life = this.lives.get(name);
    if (life === undefined) {
      life = { kind: ownKind, id: ownId, bytes: 0, lastAt: 0, hasFailed: false };
      this.lives.set(name, life);
    }
    return life;
  }

  private runOf(id: string, event: DomainEvent): string | undefined {
    if ('run' in event && event.run !== null) {
      this.runs.set(id, (event.run as { readonly runId: string }).runId);
    }
    return this.runs.get(id);
  }
}

/** What a topic has to keep of its records: those of its retention. */
export class RecordsLaw {
  private batches: { readonly at: number; readonly bytes: number }[] = [];
  private offset: number;

  constructor(
    private readonly log: PartitionLog,
    private readonly retentionMs: number,
  ) {
    this.offset = log.startOffset;
  }

  async follow(): Promise<void> {
    while (this.offset < this.log.highWatermark) {
      for (const batch of await this.log.read(this.offset, { maxBytes: readBytes })) {
        this.batches.push({ at: batch.timestamp, bytes: batch.byteLength });
        this.offset = batch.nextOffset;
      }
    }
  }

  bytesAt(at: number): number {
    this.batches = this.batches.filter((batch) => batch.at + this.retentionMs > at);
    return this.batches.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
