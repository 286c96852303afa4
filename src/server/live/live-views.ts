/** The clients of the live stream: how they join, catch up and leave. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { Slots } from '../../../storage/disk/in-parallel.js';
import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import { DamagedData, type Journal } from '../../engine/journal.js';
import type { AnyInterest, EventListener } from '../../engine/registration.js';
import { Refusal } from '../../grammar/result.js';
import { eventSliceBytes } from '../../http/bytes/event-stream.js';
import { LiveChannel } from './live-channel.js';
import { type LiveKind, liveEventOf, liveKinds, liveText } from './live-events.js';
import { type LiveReader, LiveViewer, reloadText } from './live-viewer.js';

/** How many different sets of kinds may be followed at once: each costs work for every event. */
const channelsMax = 32;

/** How many clients may catch up at once; others wait for their turn. */
const catchingUpMax = 4;

/**
 * How many missed events a returning client is sent at most; if there are more, it gets `reload`.
 */
const missedEventsMax = 50_000;

/** How many events are read in a row before other work gets the event loop. */
const itemsPerTick = 256;

const busy = new Refusal(
  'unavailable',
  `${channelsMax} different sets of kinds are followed: use one that others use, as all of them`,
  { 'retry-after': '10' },
);

const stopped = new Refusal('unavailable', 'the server is stopping', { 'retry-after': '1' });

/**
 * One instance per server. Returns a refusal if too many sets of kinds are followed or a stop has
 * begun.
 */
export class LiveViews {
  private readonly channels = new Map<string, LiveChannel>();
  /** What `listener` observes: everything while there are channels. */
  readonly interest: AnyInterest = { served: this.channels };
  private readonly viewers = new Set<LiveViewer>();
  private readonly catchingUp = new Slots(catchingUpMax);
  private isStopped = false;

  constructor(
    private readonly journal: Journal,
    private readonly clock: Clock,
    /** Below this offset, the journal is incomplete. */
    private readonly sweptUntil: () => number,
  ) {}

  /** Gets durable events of `followedKinds`, in order. */
  readonly listener: EventListener = (envelopes: readonly EventEnvelope[]) => {
    const seen = (envelopes.at(-1)?.offset ?? -1) + 1;
    for (const channel of this.channels.values()) channel.show(envelopes, seen);
  };

  /**
   * Follows `kinds` after the event `last`, or from now on (null). The returned function serves a
   * reader, and settles when its stream has ended.
   */
  follow(
    kinds: ReadonlySet<LiveKind>,
    last: number | null,
  ): ((reader: LiveReader) => Promise<void>) | Refusal {
    if (this.isStopped) return stopped;
    const channel = this.channelOf(kinds);
    if (channel === null) return busy;
    return async (reader) => {
      const viewer = new LiveViewer(reader, () => channel.sentUntilNow);
      channel.users += 1;
      this.viewers.add(viewer);
      reader.response.once('close', () => viewer.end());
      try {
        await this.serve(viewer, channel, last === null ? channel.sentUntilNow : last + 1);
      } catch (error) {
        viewer.cut();
        throw error;
      } finally {
        this.viewers.delete(viewer);
        channel.leave(viewer);
        channel.users -= 1;
        this.forget(channel);
      }
    };
  }

  /** The number of open streams. */
  get size(): number {
    return this.viewers.size;
  }

  /** Ends every stream, and accepts no new ones. */
  stop(): void {
    this.isStopped = true;
    for (const viewer of this.viewers) viewer.end();
    for (const channel of this.channels.values()) channel.stop();
  }

  private async serve(viewer: LiveViewer, channel: LiveChannel, from: number): Promise<void> {
    viewer.begin(from);
    if (from > this.journal.highWatermark) this.reload(viewer, channel);
    else if (from < channel.sentUntilNow) {
      await this.catchingUp.run(() => this.catchUp(viewer, channel, from));
    }
    // Join in the same tick, so that the next write continues where this client is.
    channel.join(viewer);
    await viewer.over;
  }

  private async catchUp(viewer: LiveViewer, channel: LiveChannel, from: number): Promise<void> {
    try {
      await this.sendMissed(viewer, channel, from);
    } catch (error) {
      // If the connection were cut, the client would return to the same place again and again.
      if (!(error instanceof DamagedData)) throw error;
      this.reload(viewer, channel);
    }
  }

  /** Sends the missed events, up to where the channel is when this settles. */
  private async sendMissed(viewer: LiveViewer, channel: LiveChannel, from: number): Promise<void> {
    if (from < this.sweptUntil()) return this.reload(viewer, channel);
    let at = from;
    let looks = 0;
    while (at < channel.sentUntilNow && !viewer.hasEnded) {
      const until = channel.sentUntilNow;
      let text = '';
      for await (const envelope of this.journal.query({ terms: [], from: at, until, order })) {
        if (viewer.hasEnded) return;
        const event = liveEventOf(envelope, channel.kinds);
        if (event !== null) text += liveText(event);
        looks += 1;
        if (looks % itemsPerTick === 0) await nextTick();
        if (looks > missedEventsMax) return this.reload(viewer, channel);
        if (text.length < eventSliceBytes) continue;
        await viewer.giveAll(Buffer.from(text));
        text = '';
      }
      if (text !== '') await viewer.giveAll(Buffer.from(text));
      at = until;
    }
  }

  private reload(viewer: LiveViewer, channel: LiveChannel): void {
    viewer.give(Buffer.from(reloadText(channel.sentUntilNow)));
  }

  private channelOf(kinds: ReadonlySet<LiveKind>): LiveChannel | null {
    const key = keyOf(kinds);
    const known = this.channels.get(key);
    if (known !== undefined) return known;
    if (this.channels.size >= channelsMax) return null;
    // Events that are durable but not shown yet are for clients that followed before.
    const { clock, journal, viewers } = this;
    const channel = new LiveChannel(kinds, clock, journal.highWatermark, () => viewers.size);
    this.channels.set(key, channel);
    return channel;
  }

  private forget(channel: LiveChannel): void {
    if (channel.users > 0) return;
    channel.stop();
    this.channels.delete(keyOf(channel.kinds));
  }
}

const order = 'oldest';

function keyOf(kinds: ReadonlySet<LiveKind>): string {
  return liveKinds.filter((kind) => kinds.has(kind)).join();
}
