/** The clients of the live stream: how they join, catch up and leave. */

import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import { DamagedData, type Journal } from '../../engine/journal.js';
import type { AnyInterest, EventListener } from '../../engine/registration.js';
import { Refusal } from '../../grammar/result.js';
import { eventSliceBytes } from '../../http/bytes/event-stream.js';
import { LiveChannel } from './live-channel.js';
import { type LiveKind, liveEventOf, liveKinds, liveText } from './live-events.js';
import { type LiveReader, LiveViewer, reloadText } from './live-viewer.js';

/** Different sets of kinds that are followed at once: each costs work for each event. */
const channelsMax = 32;

/** Clients that catch up at once; others wait for their turn. */
const catchingUpMax = 4;

/** The most missed events that a returning client is sent; beyond it gets `reload`. */
const missedEventsMax = 50_000;

/** Events read in a row before other work gets the event loop. */
const looksPerTick = 256;

const busy = new Refusal(
  'unavailable',
  `${channelsMax} different sets of kinds are followed: use one that others use, as all of them`,
  { 'retry-after': '10' },
);

const stopped = new Refusal('unavailable', 'the server ends', { 'retry-after': '1' });

/** One for the server. It refuses, as a value, where too many follow or a stop has begun. */
export class LiveViews {
  private readonly channels = new Map<string, LiveChannel>();
  /** What `listener` observes: everything, while there are channels. */
  readonly interest: AnyInterest = { served: this.channels };
  private readonly viewers = new Set<LiveViewer>();
  private readonly waiting: (() => void)[] = [];
  private catchingUp = 0;
  private isStopped = false;

  constructor(
    private readonly journal: Journal,
    private readonly clock: Clock,
    /** Below it the journal has not all that has happened. */
    private readonly sweptUntil: () => number,
  ) {}

  /** Learns durable events of `followedKinds`, in their order. */
  readonly listener: EventListener = (envelopes: readonly EventEnvelope[]) => {
    const seen = (envelopes.at(-1)?.offset ?? -1) + 1;
    for (const channel of this.channels.values()) channel.show(envelopes, seen);
  };

  /**
   * Follows `kinds` behind the event `last`, or from now on (null). The answer serves a reader, and
   * settles when its stream has ended.
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

  /** Streams that are open. */
  get size(): number {
    return this.viewers.size;
  }

  /** Ends every stream; there are no more. */
  stop(): void {
    this.isStopped = true;
    for (const viewer of this.viewers) viewer.end();
    for (const channel of this.channels.values()) channel.stop();
  }

  private async serve(viewer: LiveViewer, channel: LiveChannel, from: number): Promise<void> {
    viewer.begin(from);
    if (from > this.journal.highWatermark) this.reload(viewer, channel);
    else if (from < channel.sentUntilNow) {
      const release = await this.place();
      try {
        await this.catchUp(viewer, channel, from);
      } catch (error) {
        // A client that is cut would come back to the same place, again and again.
        if (!(error instanceof DamagedData)) throw error;
        this.reload(viewer, channel);
      } finally {
        release();
      }
    }
    // In the same tick: what is sent next follows what this client has.
    channel.join(viewer);
    await viewer.over;
  }

  /** Sends what was missed, up to where the channel is when this settles. */
  private async catchUp(viewer: LiveViewer, channel: LiveChannel, from: number): Promise<void> {
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
        if (looks % looksPerTick === 0) await new Promise((resolve) => setImmediate(resolve));
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

  /** Settles when one may catch up; the answer gives the place to the next. */
  private async place(): Promise<() => void> {
    if (this.catchingUp < catchingUpMax) this.catchingUp += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    return () => {
      const next = this.waiting.shift();
      if (next === undefined) this.catchingUp -= 1;
      else next();
    };
  }

  private channelOf(kinds: ReadonlySet<LiveKind>): LiveChannel | null {
    const key = keyOf(kinds);
    const known = this.channels.get(key);
    if (known !== undefined) return known;
    if (this.channels.size >= channelsMax) return null;
    // Events that are durable and not shown yet go to the clients that followed before.
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
