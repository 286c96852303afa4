/** A topic as server-sent events, without a group: records as they come, those that are meant. */
import type { ServerResponse } from 'node:http';
import type { LogRecord } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import type { Refusal } from '../../grammar/result.js';
import type { Allowance } from '../../http/bytes/allowance.js';
import { readingBytes } from '../../http/bytes/in-flight.js';
import { errorBody } from '../../http/error-shapes.js';
import type { PayloadEncoding } from '../records/payload-encoding.js';
import { recordText } from '../records/record-text.js';
import { damageRefusal } from '../topics/damaged-records.js';

/** So that proxies keep an idle stream open, and a client that is gone is found. */
const heartbeatMs = 15_000;

/** Read at once of one partition, and written at once: bytes. */
const readBytes = 128 * 1024;
const sliceBytes = 64 * 1024;
const readRecords = 500;

/** A partition, and the offset of its record that comes next. */
export interface TailPlace {
  readonly partition: number;
  readonly log: PartitionLog;
  next: number;
}

/** Where a tail goes, and what it shows. */
export interface TailTerms {
  readonly topic: string;
  readonly response: ServerResponse;
  readonly allowance: Allowance;
  readonly encoding: PayloadEncoding;
  isMeant(record: LogRecord): boolean;
  /** The topic is there, and its reader may read it. */
  goesOn(): boolean;
}

export class TailStream {
  private isOver = false;
  private interrupt: () => void = () => undefined;

  constructor(
    private readonly places: readonly TailPlace[],
    private readonly clock: Clock,
    private readonly terms: TailTerms,
  ) {}

  /** Sends until the topic or the client is gone, or it is ended. */
  async run(): Promise<void> {
    const { response } = this.terms;
    response.once('close', () => this.end());
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.write(`: connected\nid: ${this.position}\n\n`);
    try {
      while (this.goesOn) {
        let isIdle = true;
        for (const place of this.places) {
          if (this.goesOn && (await this.sendOf(place))) isIdle = false;
        }
        if (isIdle && this.goesOn) await this.wait();
      }
      response.end();
    } catch (error) {
      const refusal = damageRefusal(error);
      // Cut short, so that the client comes back with the id that it has.
      if (refusal === undefined) response.destroy();
      else response.end(failureText(refusal));
      if (refusal === undefined) throw error;
    }
  }

  /** No more records are sent. */
  end(): void {
    this.isOver = true;
    this.interrupt();
  }

  private get goesOn(): boolean {
    return !this.isOver && this.terms.goesOn();
  }

  /** The next offset of each place, in their order: where a client comes back. */
  private get position(): string {
    return this.places.map(({ partition, next }) => `${partition}:${next}`).join();
  }

  /** Sends some of what there is of a partition: false = there is nothing new. */
  private async sendOf(place: TailPlace): Promise<boolean> {
    const { allowance } = this.terms;
    const { log } = place;
    // Retention may have been faster than the reader.
    place.next = Math.max(place.next, log.startOffset);
    if (place.next >= log.highWatermark) return false;
    await allowance.want(readingBytes);
    const options = { until: log.highWatermark, maxRecords: readRecords, maxBytes: readBytes };
    const batches = await log.read(place.next, { ...options, once: true });
    let text = '';
    for (const batch of batches) {
      for (const record of batch.records()) text += this.textOf(record, place);
      place.next = Math.max(place.next, batch.nextOffset);
    }
    // The place alone, where nothing was meant: what was looked at is not looked at again.
    await this.send(text === '' ? `id: ${this.position}\n\n` : text);
    await new Promise((resolve) => setImmediate(resolve));
    return batches.length > 0;
  }

  private textOf(record: LogRecord, place: TailPlace): string {
    if (record.offset < place.next) return '';
    place.next = record.offset + 1;
    if (!this.terms.isMeant(record)) return '';
    const { topic, encoding } = this.terms;
    const shown = recordText(record, { topic, partition: place.partition }, encoding);
    return `id: ${this.position}\ndata: ${shown}\n\n`;
  }

  /** Settles when there may be more; tells the client that the stream is alive meanwhile. */
  private async wait(): Promise<void> {
    let cancels: (() => void)[] = [];
    const isQuiet = await new Promise<boolean>((resolve) => {
      const come = () => resolve(false);
      this.interrupt = come;
      cancels = this.places.map(({ log, next }) => log.whenBeyond(next, come));
      cancels.push(this.clock.after(heartbeatMs, () => resolve(true)));
    });
    for (const cancel of cancels) cancel();
    if (isQuiet && !this.isOver) await this.send(':\n\n');
  }

  /** Settles when the system has taken it, or the client is gone. */
  private async send(text: string): Promise<void> {
    const { allowance } = this.terms;
    const bytes = Buffer.from(text);
    allowance.settle(bytes.length);
    for (let start = 0; start < bytes.length && !this.isOver; start += sliceBytes) {
      await this.write(bytes.subarray(start, start + sliceBytes));
    }
    allowance.settle(0);
  }

  private write(slice: Buffer): Promise<void> {
    const { response, allowance } = this.terms;
    return new Promise((resolve) => {
      this.interrupt = resolve;
      const isTaken = response.write(slice, () => {
        allowance.taken();
        resolve();
      });
      if (!isTaken) allowance.awaitTaken();
    });
  }
}

function failureText(refusal: Refusal): string {
  return `event: error\ndata: ${errorBody(false, refusal)}\n\n`;
}
