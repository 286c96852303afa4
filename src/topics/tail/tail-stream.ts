/** Streams a topic as server-sent events, without a group: the matching records as they come. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { OffsetOutOfRange } from '../../../storage/faults/storage-errors.js';
import type { LogRecord } from '../../../storage/format/record.js';
import type { RecordBatch } from '../../../storage/format/record-batch.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { Refusal } from '../../grammar/result.js';
import type { EventStream } from '../../http/bytes/event-stream.js';
import { errorBody } from '../../http/error-shapes.js';
import { type PayloadEncoding, recordText } from '../records/record-text.js';
import { damageRefusal } from '../topics/damaged-records.js';

/** Limits of one read of a partition: `readBytes` and `readRecords`. */
const readBytes = 128 * 1024;
const readRecords = 500;

/** Bounded, because each event's id contains the position in every partition. */
const partitionsMax = 64;

/** A partition, and the offset of its next record. */
export interface TailPlace {
  readonly partition: number;
  readonly log: PartitionLog;
  next: number;
}

/** What a tail shows, and where to. */
export interface TailTerms {
  readonly topic: string;
  readonly events: Pick<EventStream, 'isOver' | 'run' | 'askForRoom' | 'send' | 'wait' | 'end'>;
  readonly encoding: PayloadEncoding;
  /**
   * The current logs of the topic for a tail of all partitions; empty for a tail of one partition.
   */
  all(): readonly PartitionLog[];
  isSelected(record: LogRecord): boolean;
  /** Whether the topic still exists and the client may still read it. */
  continues(): boolean;
}

/** Why all partitions of a topic cannot be tailed together; null = they can. */
export function tooManyPartitions(topic: string, partitions: number): Refusal | null {
  if (partitions <= partitionsMax) return null;
  const message = `${topic} has more than ${partitionsMax} partitions: name one, as partition=0`;
  return new Refusal('invalid', message);
}

/** Created for one request; also ends when its credential loses the right. */
export class TailStream {
  private readonly places: TailPlace[];
  private wake: () => void = () => undefined;

  constructor(
    places: readonly TailPlace[],
    private readonly terms: TailTerms,
  ) {
    this.places = [...places];
  }

  get topic(): string {
    return this.terms.topic;
  }

  /** Sends records until the topic or the client is gone, or `end` is called. */
  run(): Promise<void> {
    const { events } = this.terms;
    return events.run(`id: ${this.position}\n`, async () => {
      try {
        while (this.continues) {
          const refusal = this.addPartitions();
          if (refusal !== null) return await events.send(failureText(refusal));
          await this.proceed();
        }
      } catch (error) {
        const refusal = damageRefusal(error);
        if (refusal === undefined) throw error;
        await events.send(failureText(refusal));
      }
    });
  }

  /** Ends the stream: no more records are sent. */
  end(): void {
    this.terms.events.end();
  }

  /** Notes that the topic may have more partitions than before. */
  grew(): void {
    this.wake();
  }

  /** Adds new partitions, which are read from their start so that nothing is missed. */
  private addPartitions(): Refusal | null {
    const { topic } = this.terms;
    const added = this.added;
    const refusal = tooManyPartitions(topic, this.places.length + added.length);
    if (refusal !== null) return refusal;
    for (const log of added) {
      this.places.push({ partition: this.places.length, log, next: log.startOffset });
    }
    return null;
  }

  private get added(): readonly PartitionLog[] {
    return this.terms.all().slice(this.places.length);
  }

  /** Sends some records of each partition, or waits for more. */
  private async proceed(): Promise<void> {
    let isIdle = true;
    for (const place of this.places) {
      if (this.continues && (await this.sendOf(place))) isIdle = false;
    }
    if (isIdle && this.continues) await this.wait();
  }

  private get continues(): boolean {
    return !this.terms.events.isOver && this.terms.continues();
  }

  /** The next offset of each partition, in order: the position at which a client resumes. */
  private get position(): string {
    return this.places.map(({ partition, next }) => `${partition}:${next}`).join();
  }

  /** Sends some records of a partition; false = there is nothing new. */
  private async sendOf(place: TailPlace): Promise<boolean> {
    const { events } = this.terms;
    const { log } = place;
    passTrimmed(place);
    if (place.next >= log.highWatermark) return false;
    await events.askForRoom();
    const batches = await this.read(place);
    let text = '';
    for (const batch of batches) {
      for (const record of batch.records()) text += this.textOf(record, place);
      place.next = Math.max(place.next, batch.nextOffset);
    }
    // If no record matched, sends only the position, so that these records are not examined again.
    await events.send(text === '' ? `id: ${this.position}\n\n` : text);
    await nextTick();
    return batches.length > 0;
  }

  /**
   * The next batches; empty if retention or the deletion of the topic removes them during the read.
   */
  private async read(place: TailPlace): Promise<readonly RecordBatch[]> {
    const { log } = place;
    // Waiting for room may have taken long.
    passTrimmed(place);
    const options = { until: log.highWatermark, maxRecords: readRecords, maxBytes: readBytes };
    try {
      return await log.read(place.next, { ...options, once: true });
    } catch (error) {
      if (error instanceof OffsetOutOfRange || !this.continues) return [];
      throw error;
    }
  }

  private textOf(record: LogRecord, place: TailPlace): string {
    if (record.offset < place.next) return '';
    place.next = record.offset + 1;
    if (!this.terms.isSelected(record)) return '';
    const { topic, encoding } = this.terms;
    const shown = recordText(record, { topic, partition: place.partition }, encoding);
    return `id: ${this.position}\ndata: ${shown}\n\n`;
  }

  /** Resolves when there may be more records. */
  private async wait(): Promise<void> {
    await this.terms.events.wait((come) => {
      const cancels = this.places.map(({ log, next }) => log.whenBeyond(next, come));
      this.wake = come;
      // Partitions may have been added while records were sent.
      if (this.added.length > 0) come();
      return () => {
        for (const cancel of cancels) cancel();
      };
    });
  }
}

/** Skips records that retention removed before the reader got to them. */
function passTrimmed(place: TailPlace): void {
  place.next = Math.max(place.next, place.log.startOffset);
}

function failureText(refusal: Refusal): string {
  return `event: error\ndata: ${errorBody(false, refusal)}\n\n`;
}
