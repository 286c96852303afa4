/** One client of a live stream, as the server writes to it: what it does not take is bounded. */
import type { ServerResponse } from 'node:http';
import type { Allowance } from '../../http/bytes/allowance.js';
import { eventStreamHeaders } from '../../http/bytes/event-stream.js';

/** What waits for a client at most, bytes: one that is further behind has to look again. */
export const behindBytesMax = 256 * 1024;

/** Where the events of a stream go. */
export interface LiveReader {
  readonly response: ServerResponse;
  /** Closes a client that takes nothing. */
  readonly allowance: Pick<Allowance, 'awaitTaken' | 'taken'>;
}

/**
 * Has a client load everything again: some events below `next` were not sent, and the stream goes
 * on from there.
 */
export function reloadText(next: number): string {
  return `event: reload\n${idBefore(next)}data: {"offset":${next - 1}}\n\n`;
}

/** Moves the place at which a client comes back, and is no event. */
export function placeText(next: number): string {
  return next === 0 ? ':\n\n' : `${idBefore(next)}\n`;
}

function idBefore(next: number): string {
  return next === 0 ? '' : `id: ${next - 1}\n`;
}

/** Made by `LiveViews`; never holds more than its bound for a client that is slow to read. */
export class LiveViewer {
  private isBehind = false;
  private isOver = false;
  private settleOver: () => void = () => undefined;
  /** Settles when the stream has ended, or the client has gone. */
  readonly over = new Promise<void>((resolve) => {
    this.settleOver = resolve;
  });

  /** `sentUntilNow` gives the offset up to which the channel has sent everything. */
  constructor(
    private readonly reader: LiveReader,
    private readonly sentUntilNow: () => number,
  ) {
    reader.response.on('drain', () => this.drained());
  }

  /** Begins the stream; `place` is where it does. */
  begin(place: number): void {
    const { response } = this.reader;
    response.writeHead(200, eventStreamHeaders);
    response.write(`: connected\n${placeText(place)}`);
  }

  /** Whether the stream is over, for whatever reason. */
  get hasEnded(): boolean {
    return this.isOver;
  }

  /** Ends the stream; the client comes back with the id that it has. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.reader.response.end();
    this.settleOver();
  }

  /** Cuts it short, where something has failed. */
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

  /** Writes, and settles when the client has taken it or is gone. */
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
