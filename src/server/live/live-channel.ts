/**
 * All clients that follow the same kinds. Their text is composed once for all of them, at most five
 * times a second, and less often if there are many clients.
 */
import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import { heartbeatMs } from '../../http/bytes/event-stream.js';
import { type LiveKind, liveEventOf, liveText } from './live-events.js';
import { type LiveViewer, placeText } from './live-viewer.js';

/** The minimum time between two writes to a client, in ms. */
const paceMsMin = 200;

/**
 * Per client of the server: a write costs some 50 us, and all writes together may take a twentieth
 * of the time.
 */
const paceMsPerViewer = 1.5;

/** The limits for events named in one write, and for all clients' writes together; in bytes. */
const textBytesMax = 32 * 1024;
const writtenBytesMax = 8 * 1024 * 1024;

/** How many clients are written to in a row before other work gets the event loop. */
const viewersPerTick = 100;

/** Created by `LiveViews` for the first client with these kinds, and dropped after the last one. */
export class LiveChannel {
  /** How many clients follow it, or are about to. */
  users = 0;
  private readonly viewers = new Set<LiveViewer>();
  /** Events since the last write: as text, and as counts for when the text is too long. */
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
    /** How many clients there are on all channels. */
    private readonly viewersOfAll: () => number,
  ) {
    this.seen = sentUntil;
    this.cancelHeartbeat = this.beatLater();
  }

  /** All events below this offset were written; a client that has those may join. */
  get sentUntilNow(): number {
    return this.sentUntil;
  }

  /** From now on, the viewer gets what is written. */
  join(viewer: LiveViewer): void {
    this.viewers.add(viewer);
  }

  /** The viewer gets nothing more; a client that has not joined may leave, too. */
  leave(viewer: LiveViewer): void {
    this.viewers.delete(viewer);
  }

  /** Takes durable events, in order; `seen` is the offset after them. */
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
    this.proceed();
  }

  /** Stops all writing. */
  stop(): void {
    this.cancelWrite?.();
    this.cancelHeartbeat();
  }

  private get textMax(): number {
    return Math.min(textBytesMax, writtenBytesMax / Math.max(1, this.viewers.size));
  }

  /** Schedules a write of what has arrived, unless one is pending. */
  private proceed(): void {
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
      this.proceed();
    });
  }

  /**
   * Writes to some viewers at a time. A viewer that joins meanwhile has everything below the
   * previous `sentUntil`, and is reached last.
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
      // A pending write shows that the stream is alive, so no heartbeat is needed.
      if (!this.isWriting && this.cancelWrite === null) {
        this.isWriting = true;
        this.writeOn(this.viewers.values(), Buffer.from(placeText(this.sentUntil)), () => {
          this.isWriting = false;
          this.proceed();
        });
      }
      this.cancelHeartbeat = this.beatLater();
    });
  }
}
