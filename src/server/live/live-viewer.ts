/** One client of a live stream, as the server writes to it: the data waiting for it is bounded. */
import type { ServerResponse } from 'node:http';
import type { Allowance } from '../../http/bytes/allowance.js';
import { eventStreamHeaders } from '../../http/bytes/event-stream.js';

/** How many bytes may wait for a client; a client that is further behind has to reload. */
export const behindBytesMax = 256 * 1024;

/** Where the events of a stream are sent. */
export interface LiveReader {
  readonly response: ServerResponse;
  /** Closes a client that does not read. */
  readonly allowance: Pick<Allowance, 'awaitTaken' | 'taken'>;
}

/**
 * Makes a client load everything again: some events below `next` were not sent, and the stream
 * continues from there.
 */
export function reloadText(next: number): string {
  return `event: reload\n${idBefore(next)}data: {"offset":${next - 1}}\n\n`;
}

/** Updates the place from which a client would resume; not an event. */
export function placeText(next: number): string {
  return next === 0 ? ':\n\n' : `${idBefore(next)}\n`;
}

function idBefore(next: number): string {
  return next === 0 ? '' : `id: ${next - 1}\n`;
}

/** Created by `LiveViews`; never buffers more than its bound for a client that reads slowly. */
export class LiveViewer {
  private isBehind = false;
  private isOver = false;
  private settleOver: () => void = () => undefined;
  /** Settles when the stream has ended, or the client has disconnected. */
  readonly over = new Promise<void>((resolve) => {
    this.settleOver = resolve;
  });

  /** `sentUntilNow` returns the offset up to which the channel has sent everything. */
  constructor(
    private readonly reader: LiveReader,
    private readonly sentUntilNow: () => number,
  ) {
    reader.response.on('drain', () => this.drained());
  }

  /** Begins the stream at `place`. */
  begin(place: number): void {
    const { response } = this.reader;
    response.writeHead(200, eventStreamHeaders);
    response.write(`: connected\n${placeText(place)}`);
  }

  /** Whether the stream is over, for whatever reason. */
  get hasEnded(): boolean {
    return this.isOver;
  }

  /** Ends the stream; the client reconnects with its last id. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.reader.response.end();
    this.settleOver();
  }

  /** Cuts the connection after a failure. */
  cut(): void {
    this.reader.response.destroy();
    this.end();
  }

  /** Writes as much as may wait; a client that is too far behind gets `reload` when it drains. */
  give(text: Buffer): void {
    const { response } = this.reader;
    if (this.isOver || this.isBehind) return;
    if (response.writableLength + text.length > behindBytesMax) this.isBehind = true;
    else this.write(text);
  }

  /** Writes, and settles when the client has read it or has disconnected. */
  async giveAll(text: Buffer): Promise<void> {
    if (this.isOver || this.write(text)) return;
    const drained = new Promise<void>((resolve) => this.reader.response.once('drain', resolve));
    await Promise.race([drained, this.over]);
  }

  private write(text: Buffer): boolean {
    const { response, allowance } = this.reader;
    const wasEmpty = !response.writableNeedDrain;
    const isTaken = response.write(text);
    if (!isTaken && wasEmpty) allowance.awaitTaken();
    return isTaken;
  }

  private drained(): void {
    this.reader.allowance.taken();
    if (!this.isBehind || this.isOver) return;
    this.isBehind = false;
    this.write(Buffer.from(reloadText(this.sentUntilNow())));
  }
}
