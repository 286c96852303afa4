/**
 * What runs is what the state wants: today and after a crash, by the same line of code. Once a
 * stream's events are durable, its wanted effects are compared with those running: missing ones
 * start, others stop. An effect whose time has not come costs only an alarm: when it rings, the
 * stream is asked again what it wants. If that is far off, the stream rests until then.
 */

import { TransientMap } from '../grammar/transient-map.js';
import { AlarmClock } from './alarm-clock.js';
import type { Clock } from './clock.js';
import type { Effect } from './decider.js';
import type { EffectCarrier, EffectSource } from './registration.js';

interface RunningEffect {
  /** The id of the effect. */
  readonly id: string;
  /**
   * Offset of its stream's first event. A stream that ends and begins again within one commit is
   * asked only once: effects of its former life are not those that it wants now, even if the ids
   * match.
   */
  readonly firstOffset: number;
  readonly stop: () => void;
}

/** The resting streams of one kind, which are wanted at a later time. */
export interface RestingKind {
  /** Puts a stream to rest until `wantedAt`; false = it may not rest. */
  rest(id: string, wantedAt: number): boolean;
  /** When the next stream is wanted; Infinity = none is. */
  nextDue(): number;
  /** A stream that is wanted by `now`; each is returned once. */
  takeDue(now: number): string | undefined;
}

/** A shorter wait is not worth storing the stream. */
const restMsMin = 10_000;

/**
 * At most this many resting streams are asked per tick, for at most this long: 100,000 may be due
 * in one minute.
 */
const askedPerTick = 256;
const tickMsMax = 4;

/** The streams of one kind, by their ids. */
interface Streams {
  readonly running: TransientMap<string, readonly RunningEffect[]>;
  /** Ring when a wanted effect that is not running may start. */
  readonly alarms: AlarmClock<string>;
}

/**
 * One per engine. A stream runs each effect id once: an effect that is wanted again with the same
 * id keeps running, and one whose id changed is stopped and started.
 */
export class EffectRunner {
  private readonly carriers = new Map<string, EffectCarrier>();
  private readonly streams = new Map<string, Streams>();
  private begun = false;
  private stopped = false;
  private onlyReads = false;

  /** One alarm per kind, for the resting stream that is wanted first. */
  private readonly restAlarms: AlarmClock<string>;

  /** `askAgain` reconciles a stream with what it wants by then. */
  constructor(
    private readonly clock: Clock,
    private readonly restingOf: (kind: string) => RestingKind,
    private readonly askAgain: (kind: string, id: string) => void,
  ) {
    this.restAlarms = new AlarmClock<string>(clock, (kind) => void this.askDue(kind));
  }

  /** Registers `carrier` to carry out the effects of `kind`. */
  carry(kind: string, carrier: EffectCarrier): void {
    this.carriers.set(kind, carrier);
  }

  /** From now on starts only effects that change nothing. */
  changeNothing(): void {
    this.onlyReads = true;
  }

  /**
   * From now on a woken stream gets its alarm back. During replay, before this, a stream is woken
   * by each change, while its state is not complete yet.
   */
  begin(): void {
    this.begun = true;
  }

  /**
   * Starts each effect of `wanted` that may start by now and does not run yet; stops running
   * effects that are not in `wanted`.
   */
  reconcile(source: EffectSource, wanted: readonly Effect[]): void {
    if (this.stopped) return;
    const { running, alarms } = this.streamsOf(source.kind);
    const runs = keepWanted(running.get(source.id) ?? nothing, wanted, source);
    const now = this.clock.now();
    let nextStart = Number.POSITIVE_INFINITY;
    for (const effect of wanted) {
      if (runs.some(({ id }) => id === effect.id)) continue;
      const carrier = this.carrierOf(effect.kind);
      if (this.onlyReads && carrier.changesNothing !== true) continue;
      if (effect.notBefore > now) nextStart = Math.min(nextStart, effect.notBefore);
      else runs.push(started(carrier, source, effect));
    }
    if (runs.length > 0) running.set(source.id, runs);
    else running.delete(source.id);
    const isWaiting = nextStart < Number.POSITIVE_INFINITY;
    const mayRest = isWaiting && runs.length === 0 && nextStart - now >= restMsMin;
    const hasAlarm = isWaiting && !(mayRest && this.rest(source, nextStart));
    if (hasAlarm) alarms.set(source.id, nextStart);
    else if (alarms.deadlines.size > 0) alarms.cancel(source.id);
  }

  /** A resting stream was woken: sets an alarm for it at `wantedAt`. */
  woken(kind: string, id: string, wantedAt: number): void {
    if (this.begun && !this.stopped) this.streamsOf(kind).alarms.set(id, wantedAt);
  }

  /** Asks resting streams of `kind` that are wanted by now; true = more of them are waiting. */
  askDue(kind: string): boolean {
    if (this.stopped) return false;
    const resting = this.restingOf(kind);
    const now = this.clock.now();
    const until = this.clock.monotonic() + tickMsMax;
    for (let asked = 0; asked < askedPerTick && this.clock.monotonic() <= until; asked += 1) {
      const id = resting.takeDue(now);
      if (id === undefined) break;
      this.askAgain(kind, id);
    }
    const next = resting.nextDue();
    if (next < Number.POSITIVE_INFINITY) this.restAlarms.set(kind, next);
    return next <= now;
  }

  /** Starts nothing any more; running effects are left to end by themselves. */
  stop(): void {
    this.stopped = true;
    for (const { alarms } of this.streams.values()) alarms.stop();
    this.restAlarms.stop();
  }

  private rest({ kind, id }: EffectSource, wantedAt: number): boolean {
    const resting = this.restingOf(kind);
    if (!resting.rest(id, wantedAt)) return false;
    if (wantedAt < (this.restAlarms.timeOf(kind) ?? Number.POSITIVE_INFINITY)) {
      this.restAlarms.set(kind, wantedAt);
    }
    return true;
  }

  private streamsOf(kind: string): Streams {
    const known = this.streams.get(kind);
    if (known !== undefined) return known;
    const alarms = new AlarmClock<string>(this.clock, (id) => this.askAgain(kind, id));
    const streams = { running: new TransientMap<string, readonly RunningEffect[]>(), alarms };
    this.streams.set(kind, streams);
    return streams;
  }

  private carrierOf(kind: string): EffectCarrier {
    const carrier = this.carriers.get(kind);
    if (carrier === undefined) throw new Error(`no carrier is registered for ${kind}`);
    return carrier;
  }
}

function started(carrier: EffectCarrier, source: EffectSource, effect: Effect): RunningEffect {
  return { id: effect.id, firstOffset: source.firstOffset, stop: carrier.start(source, effect) };
}

/** Stops effects that are not wanted; returns those that keep running. */
function keepWanted(
  running: readonly RunningEffect[],
  wanted: readonly Effect[],
  { firstOffset }: EffectSource,
): RunningEffect[] {
  const continuing: RunningEffect[] = [];
  for (const effect of running) {
    const isSameLife = effect.firstOffset === firstOffset;
    if (isSameLife && wanted.some(({ id }) => id === effect.id)) continuing.push(effect);
    else effect.stop();
  }
  return continuing;
}

const nothing: readonly RunningEffect[] = [];
