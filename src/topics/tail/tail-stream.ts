/** A topic as server-sent events, without a group: records as they come, those that are meant. */
import { OffsetOutOfRange } from '../../../storage/faults/storage-errors.js';
import type { LogRecord } from '../../../storage/format/record.js';
import type { RecordBatch } from '../../../storage/format/record-batch.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { Refusal } from '../../grammar/result.js';
import type { EventStream } from '../../http/bytes/event-stream.js';
import { errorBody } from '../../http/error-shapes.js';
import { type PayloadEncoding, recordText } from '../records/record-text.js';
import { damageRefusal } from '../topics/damaged-records.js';

/** Read at once of one partition. */
const readBytes = 128 * 1024;
const readRecords = 500;

/** The place of a stream names every partition, in each of its events. */
const partitionsMax = 64;

/** A partition, and the offset of its record that comes next. */
export interface TailPlace {
  readonly partition: number;
  readonly log: PartitionLog;
  next: number;
}

/** Where a tail goes, and what it shows. */
export interface TailTerms {
  readonly topic: string;
  readonly events: Pick<EventStream, 'isOver' | 'run' | 'askForRoom' | 'send' | 'wait' | 'end'>;
  readonly encoding: PayloadEncoding;
  /** The logs of the topic now, of a tail of all partitions; none where it names one. */
  all(): readonly PartitionLog[];
  isMeant(record: LogRecord): boolean;
  /** The topic is there, and its reader may read it. */
  goesOn(): boolean;
}

/** Why all partitions of a topic cannot be tailed together; null = they can. */
export function tooManyPartitions(topic: string, partitions: number): Refusal | null {
  if (partitions <= partitionsMax) return null;
  const message = `${topic} has more than ${partitionsMax} partitions: name one, as partition=0`;
  return new Refusal('invalid', message);
}

/** Made for one request; it ends with the right of its credential, too. */
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

  /** Sends until the topic or the client is gone, or it is ended. */
  run(): Promise<void> {
    const { events } = this.terms;
    return events.run(`id: ${this.position}\n`, async () => {
      try {
        while (this.goesOn) {
          const refusal = this.addPartitions();
          if (refusal !== null) return await events.send(failureText(refusal));
          await this.goOn();
        }
      } catch (error) {
        const refusal = damageRefusal(error);
        if (refusal === undefined) throw error;
        await events.send(failureText(refusal));
      }
    });
  }

  /** No more records are sent. */
  end(): void {
    this.terms.events.end();
  }

  /** The topic may have more partitions than before. */
  grew(): void {
    this.wake();
  }

  /** Reads partitions that were added from their start, so that nothing of them is left out. */
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

  /** Sends some of each partition, or waits for more. */
  private async goOn(): Promise<void> {
    let isIdle = true;
    for (const place of this.places) {
      if (this.goesOn && (await this.sendOf(place))) isIdle = false;
    }
    if (isIdle && this.goesOn) await this.wait();
  }

  private get goesOn(): boolean {
    return !this.terms.events.isOver && this.terms.goesOn();
  }

  /** The next offset of each place, in their order: where a client comes back. */
  private get position(): string {
    return this.places.map(({ partition, next }) => `${partition}:${next}`).join();
  }

  /** Sends some of what there is of a partition: false = there is nothing new. */
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
    // The place alone, where nothing was meant: what was looked at is not looked at again.
    await events.send(text === '' ? `id: ${this.position}\n\n` : text);
    await new Promise((resolve) => setImmediate(resolve));
    return batches.length > 0;
  }

  /** What comes next; none where retention, or the end of the topic, takes it while it is read. */
  private async read(place: TailPlace): Promise<readonly RecordBatch[]> {
    const { log } = place;
    // It may have been long until there was room.
    passTrimmed(place);
    const options = { until: log.highWatermark, maxRecords: readRecords, maxBytes: readBytes };
    try {
      return await log.read(place.next, { ...options, once: true });
    } catch (error) {
      if (error instanceof OffsetOutOfRange || !this.goesOn) return [];
      throw error;
    }
  }

  private textOf(record: LogRecord, place: TailPlace): string {
    if (record.offset < place.next) return '';
    place.next = record.offset + 1;
    if (!this.terms.isMeant(record)) return '';
    const { topic, encoding } = this.terms;
    const shown = recordText(record, { topic, partition: place.partition }, encoding);
    return `id: ${this.position}\ndata: ${shown}\n\n`;
  }

  /** Settles when there may be more. */
  private async wait(): Promise<void> {
    await this.terms.events.wait((come) => {
      const cancels = this.places.map(({ log, next }) => log.whenBeyond(next, come));
      this.wake = come;
      // They may have come while records were sent.
      if (this.added.length > 0) come();
      return () => {
        for (const cancel of cancels) cancel();
      };
    });
  }
}

/** Retention may have been faster than the reader. */
function passTrimmed(place: TailPlace): void {
  place.next = Math.max(place.next, place.log.startOffset);
}

function failureText(refusal: Refusal): string {
  return `event: error\ndata: ${errorBody(false, refusal)}\n\n`;
}
