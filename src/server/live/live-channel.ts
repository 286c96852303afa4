/**
 * All clients that follow the same kinds: their text is put together once for all of them, at
 * most five times a second, and less often where many look on.
 */
import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import { heartbeatMs } from '../../http/bytes/event-stream.js';
import { type LiveKind, liveEventOf, liveText } from './live-events.js';
import { type LiveViewer, placeText } from './live-viewer.js';

/** Between two writes to a client, milliseconds. */
const paceMsMin = 200;

/** For each client of the server: a write costs some 50 us, and all of them a twentieth at most. */
const paceMsPerViewer = 1.5;

/** What one write may name event by event, and what all clients are written at once; bytes. */
const textBytesMax = 32 * 1024;
const writtenBytesMax = 8 * 1024 * 1024;

/** Clients that are written to in a row before others get the event loop. */
const viewersPerTick = 100;

/** Made by `LiveViews` for the first client with these kinds, and forgotten after the last one. */
export class LiveChannel {
  /** Clients that follow it or are about to. */
  users = 0;
  private readonly viewers = new Set<LiveViewer>();
  /** What has come since the last write: by name, and counted once that is too long. */
  private text = '';
  private readonly counts = new Map<LiveKind, number>();
  private latest = -1;
  private seen: number;
  private writtenAt = Number.NEGATIVE_INFINITY;
  private isWriting = false;
  private cancelWrite: (() => void) | null = null;
  private cancelHeartbeat: () => void;

  /** Events below `sentUntil` were sent, or happened before the first client came. */
  constructor(
    readonly kinds: ReadonlySet<LiveKind>,
    private readonly clock: Clock,
    private sentUntil: number,
    /** How many clients follow anything at all. */
    private readonly viewersOfAll: () => number,
  ) {
    this.seen = sentUntil;
    this.cancelHeartbeat = this.beatLater();
  }

  /** All events below it were written; one who knows those may join. */
  get sentUntilNow(): number {
    return this.sentUntil;
  }

  /** It gets what is written from now on. */
  join(viewer: LiveViewer): void {
    this.viewers.add(viewer);
  }

  /** It gets nothing more; a client that has not joined may leave, too. */
  leave(viewer: LiveViewer): void {
    this.viewers.delete(viewer);
  }

  /** Durable events, in their order; `seen` is the offset behind them. */
  show(envelopes: readonly EventEnvelope[], seen: number): void {
    for (const envelope of envelopes) {
      if (envelope.offset < this.seen) continue;
      const event = liveEventOf(envelope, this.kinds);
      if (event === null) continue;
      this.latest = event.offset;
      this.counts.set(event.kind, (this.counts.get(event.kind) ?? 0) + 1);
      if (this.text.length <= this.textMax) this.text += liveText(event);
    }
    this.seen = Math.max(this.seen, seen);
    this.goOn();
  }

  /** Nothing is written any more. */
  stop(): void {
    this.cancelWrite?.();
    this.cancelHeartbeat();
  }

  private get textMax(): number {
    return Math.min(textBytesMax, writtenBytesMax / Math.max(1, this.viewers.size));
  }

  /** Writes what has come once it is time, unless that is seen to already. */
  private goOn(): void {
    if (this.isWriting || this.cancelWrite !== null) return;
    if (this.counts.size === 0) {
      this.sentUntil = this.seen;
      return;
    }
    const paceMs = Math.max(paceMsMin, this.viewersOfAll() * paceMsPerViewer);
    const wait = Math.max(0, this.writtenAt + paceMs - this.clock.monotonic());
    this.cancelWrite = this.clock.after(wait, () => {
      this.cancelWrite = null;
      this.write();
    });
  }

  private write(): void {
    const { seen } = this;
    const text = this.text.length > this.textMax ? this.countsText() : this.text;
    this.text = '';
    this.counts.clear();
    this.writtenAt = this.clock.monotonic();
    this.isWriting = true;
    this.writeOn(this.viewers.values(), Buffer.from(text), () => {
      this.sentUntil = seen;
      this.isWriting = false;
      this.goOn();
    });
  }

  /**
   * Writes to some of them at a time. One that joins meanwhile knows what was sentUntil before this
   * text, and is come to last.
   */
  private writeOn(viewers: Iterator<LiveViewer>, text: Buffer, done: () => void): void {
    for (let count = 0; count < viewersPerTick; count += 1) {
      const next = viewers.next();
      if (next.done === true) {
        done();
        return;
      }
      next.value.give(text);
    }
    setImmediate(() => this.writeOn(viewers, text, done));
  }

  private countsText(): string {
    const sentUntil = { offset: this.latest, counts: Object.fromEntries(this.counts) };
    return `event: many\nid: ${this.latest}\ndata: ${JSON.stringify(sentUntil)}\n\n`;
  }

  private beatLater(): () => void {
    return this.clock.after(heartbeatMs, () => {
      // What is to be written tells that the stream is alive.
      if (!this.isWriting && this.cancelWrite === null) {
        this.isWriting = true;
        this.writeOn(this.viewers.values(), Buffer.from(placeText(this.sentUntil)), () => {
          this.isWriting = false;
          this.goOn();
        });
      }
      this.cancelHeartbeat = this.beatLater();
    });
  }
}
