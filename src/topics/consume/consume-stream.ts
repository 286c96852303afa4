/** A continuous consume: sends records as they come, until the reader or the instance is gone. */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../engine/clock.js';
import { Refusal } from '../../grammar/result.js';
import type { Allowance } from '../../http/bytes/allowance.js';
import { readingBytes } from '../../http/bytes/in-flight.js';
import { errorBody } from '../../http/error-shapes.js';
import { JsonPieces } from '../records/json-pieces.js';
import { RecordWriter } from '../records/record-text.js';
import type { TopicPosition } from '../records/topic-partition.js';
import { damageRefusal } from '../topics/damaged-records.js';
import type { ConsumeCall } from './consume-call.js';
import type { Polled, Polls, PollTerms } from './poll.js';
import type { PartitionRead } from './share-reads.js';
import { StreamCursor } from './stream-cursor.js';

/** Server-sent events for a browser's `EventSource` (WHATWG HTML), or one JSON text per line. */
export type StreamFormat = 'events' | 'lines';

/** Heartbeat interval, so that proxies keep an idle stream open. */
const heartbeatMs = 15_000;

/**
 * Bytes of records that are read before waiting for the reader; a longer record needs an allowance.
 */
const batchBytesMax = 64 * 1024;
/** Bytes per write; a reader that takes less than this in 30 seconds counts as stalled. */
const sliceBytes = 64 * 1024;

/** Texts up to this size are copied into one buffer. */
const copiedBytesMax = 256 * 1024;

const contentTypes: Readonly<Record<StreamFormat, string>> = {
  events: 'text/event-stream; charset=utf-8',
  lines: 'application/x-ndjson; charset=utf-8',
};

const idField = Buffer.from('id: ');
const dataField = Buffer.from('\ndata: ');
const eventEnd = Buffer.from('\n\n');
const lineEnd = Buffer.from('\n');

/** The format that a request accepts; null = a single answer instead of a stream. */
export function streamFormatOf(accept: string | undefined): StreamFormat | null {
  if (accept === undefined) return null;
  if (accept.includes('text/event-stream')) return 'events';
  return accept.includes('application/x-ndjson') ? 'lines' : null;
}

/**
 * Damage ends a stream with a line that reports it; it also ends every later stream until a seek.
 */
function refusalOrThrow(error: unknown): Refusal {
  const refusal = damageRefusal(error);
  if (refusal === undefined) throw error;
  return refusal;
}

/** The receiver of a stream. */
export interface StreamReader {
  readonly response: ServerResponse;
  readonly format: StreamFormat;
  /** The share of the byte budget that a long record takes. */
  readonly allowance: Allowance;
}

/** Created for one request; also ends when its credential loses the right. */
export class ConsumeStream {
  private readonly cursor: StreamCursor;
  private isGone = false;
  private whenGone: () => void = () => undefined;

  constructor(
    private readonly polls: Polls,
    private readonly clock: Clock,
    private readonly call: ConsumeCall,
    private readonly reader: StreamReader,
    private readonly terms: Pick<PollTerms, 'maxRecords' | 'encoding' | 'mayRead'>,
  ) {
    this.cursor = new StreamCursor(call.session.positions);
  }

  /**
   * Sends records until the stream ends; the call must have its turn. The positions that the reader
   * reports (`received`) are acknowledged, and reading continues there.
   */
  async run(received: readonly TopicPosition[]): Promise<void> {
    const { call, reader } = this;
    const { response, format } = reader;
    response.writeHead(200, {
      'content-type': contentTypes[format],
      'cache-control': 'no-store',
      'stream-generation': String(call.session.generation),
    });
    // Sent at once, so that the reader and all proxies see that the stream is open.
    if (format === 'events') response.write(': connected\n\n');
    else response.flushHeaders();
    try {
      await call.resume(received);
      await this.sendAll();
      response.end();
    } catch (error) {
      // Aborted, so that the reader does not take it for a regular end.
      response.destroy();
      throw error;
    }
  }

  private async sendAll(): Promise<void> {
    while (!this.isOver) {
      const next = await this.next();
      if (next instanceof Refusal) {
        await this.send([Buffer.from(this.failure(next))]);
        return;
      }
      await this.give(next);
    }
  }

  /**
   * The text of the next records, empty if there are none. The records themselves are not kept:
   * each of them retains a batch of up to 10 MiB, which a slow reader must not keep in memory.
   */
  private async next(): Promise<readonly Buffer[] | Refusal> {
    let polled = await this.poll(batchBytesMax);
    if ('parts' in polled && polled.isLongNext) {
      await this.reader.allowance.want(readingBytes);
      polled = await this.poll(Number.POSITIVE_INFINITY);
    }
    if (polled instanceof Refusal) return polled;
    if ('undecided' in polled) {
      const places = polled.undecided.map(({ topic, partition }) => `${topic}/${partition}`);
      return new Refusal('conflict', `no offset to begin at: ${places.join(', ')}`);
    }
    const json = new JsonPieces();
    for (const part of polled.parts) this.frame(json, part);
    // Copying a long text again costs memory; writing a short text in many pieces costs time.
    return json.byteLength > copiedBytesMax ? json.pieces : [json.toBuffer()];
  }

  private async poll(oneBytesMax: number): Promise<Polled | Refusal> {
    const { call } = this;
    const { maxRecords, encoding, mayRead } = this.terms;
    const until = this.clock.monotonic() + heartbeatMs;
    const maxBytes = batchBytesMax;
    const terms = { maxRecords, encoding, mayRead, until, maxBytes, oneBytesMax };
    const poll = this.polls.of(call.session, terms);
    call.watch(() => {
      this.isGone = true;
      poll.cancel();
      this.whenGone();
    });
    const polled = await poll.run().catch(refusalOrThrow);
    await call.stored();
    return polled;
  }

  private get isOver(): boolean {
    return this.isGone || this.call.session.isEnded || !this.terms.mayRead();
  }

  /**
   * Sends records, or a heartbeat if there are none. Records count as written once the operating
   * system has taken them.
   */
  private async give(texts: readonly Buffer[]): Promise<void> {
    const length = byteLengthOf(texts);
    if (this.isOver && length === 0) return;
    const { allowance } = this.reader;
    if (allowance.bytes > 0) allowance.settle(length);
    const isTaken = await this.send(length === 0 ? [this.heartbeat] : texts);
    allowance.settle(0);
    if (isTaken && !this.isGone) this.call.written();
  }

  private frame(json: JsonPieces, { own, next, records }: PartitionRead): void {
    const writer = new RecordWriter(own, this.terms.encoding, json);
    const writeId = this.reader.format === 'events' ? this.cursor.idsOf(own, next) : null;
    for (const record of records) {
      if (writeId !== null) {
        json.write(idField);
        writeId(json, record.offset + 1);
        json.write(dataField);
      }
      writer.write(record);
      json.write(writeId === null ? lineEnd : eventEnd);
    }
  }

  private get heartbeat(): Buffer {
    return Buffer.from(this.reader.format === 'lines' ? '\n' : ':\n\n');
  }

  private failure(refusal: Refusal): string {
    const text = errorBody(false, refusal);
    return this.reader.format === 'lines' ? `${text}\n` : `event: error\ndata: ${text}\n\n`;
  }

  /**
   * Resolves with true when the operating system has taken the texts, with false when the client is
   * gone.
   */
  private async send(texts: readonly Buffer[]): Promise<boolean> {
    for (const text of texts) {
      for (let start = 0; start < text.length; start += sliceBytes) {
        if (!(await this.write(text.subarray(start, start + sliceBytes)))) return false;
      }
    }
    return true;
  }

  private write(slice: Buffer): Promise<boolean> {
    const { response, allowance } = this.reader;
    return new Promise((resolve) => {
      this.whenGone = () => resolve(false);
      if (this.isGone) {
        resolve(false);
        return;
      }
      const isTaken = response.write(slice, (error) => {
        allowance.taken();
        resolve(error === null || error === undefined);
      });
      if (!isTaken) allowance.awaitTaken();
    });
  }
}

function byteLengthOf(texts: readonly Buffer[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}
