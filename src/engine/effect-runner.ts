/**
 * What runs is what the state wants: today and after a crash, by the same line of code. After a
 * stream's events are durable its effects are compared with what runs: missing ones start, others
 * stop. An effect whose time has not come costs an alarm and nothing else: when it rings, the
 * stream is asked again what it wants. Where that is long, it rests until then.
 */

import { TransientMap } from '../grammar/transient-map.js';
import { AlarmClock } from './alarm-clock.js';
import type { Clock } from './clock.js';
import type { Effect } from './decider.js';
import type { EffectCarrier, EffectSource } from './registration.js';

interface RunningEffect {
  /** The effect's. */
  readonly id: string;
  /**
   * Of its stream's first event. A stream that ends and begins again within one commit is asked
   * once: what ran for its life before is not what it wants, whatever that is called.
   */
  readonly firstOffset: number;
  readonly stop: () => void;
}

/** Streams that rest, and are wanted at a time that has not come. */
export interface RestingKind {
  /** Lets a stream rest until `wantedAt`; false = it may not. */
  rest(id: string, wantedAt: number): boolean;
  /** When the next one is wanted; Infinity = none is. */
  nextDue(): number;
  /** One that is wanted by `now`, each once. */
  takeDue(now: number): string | undefined;
}

/** What waits for less is not worth being stored. */
const restMsMin = 10_000;

/** So many that rest are asked at once, and for so long: those of one minute may be 100,000. */
const askedPerTick = 256;
const tickMsMax = 4;

/** The streams of one kind, by their ids. */
interface Streams {
  readonly running: TransientMap<string, readonly RunningEffect[]>;
  /** Ring when something may start that is wanted and does not run. */
  readonly alarms: AlarmClock<string>;
}

/**
 * One for each engine. A stream has one run for each id of an effect: an effect that is wanted
 * again with the same id goes on, and one whose id changed is stopped and started.
 */
export class EffectRunner {
  private readonly carriers = new Map<string, EffectCarrier>();
  private readonly streams = new Map<string, Streams>();
  private begun = false;
  private stopped = false;
  private onlyReads = false;

  /** Of the streams of a kind that rest, one alarm for the first. */
  private readonly restAlarms: AlarmClock<string>;

  /** `askAgain` has a stream reconciled with what it wants by then. */
  constructor(
    private readonly clock: Clock,
    private readonly restingOf: (kind: string) => RestingKind,
    private readonly askAgain: (kind: string, id: string) => void,
  ) {
    this.restAlarms = new AlarmClock<string>(clock, (kind) => void this.askDue(kind));
  }

  /** Effects of `kind` are carried out by `carrier`. */
  carry(kind: string, carrier: EffectCarrier): void {
    this.carriers.set(kind, carrier);
  }

  /** From now on only those start that change nothing. */
  changeNothing(): void {
    this.onlyReads = true;
  }

  /**
   * From now on a woken stream gets its alarm back. Replay, before that, wakes each stream that it
   * changes while its state is not complete yet.
   */
  begin(): void {
    this.begun = true;
  }

  /**
   * Starts what `wanted` names, may start by now and does not run yet; stops what runs and is not
   * named.
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

  /** A resting stream was woken: it gets an alarm at `wantedAt`. */
  woken(kind: string, id: string, wantedAt: number): void {
    if (this.begun && !this.stopped) this.streamsOf(kind).alarms.set(id, wantedAt);
  }

  /** Asks streams of `kind` that rest and are wanted by now; true = there are more of them. */
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

  /** Nothing starts any more; what runs is left to end by itself. */
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

/** Stops what is not wanted; answers what goes on. */
function keepWanted(
  running: readonly RunningEffect[],
  wanted: readonly Effect[],
  { firstOffset }: EffectSource,
): RunningEffect[] {
  const goesOn: RunningEffect[] = [];
  for (const effect of running) {
    const isSameLife = effect.firstOffset === firstOffset;
    if (isSameLife && wanted.some(({ id }) => id === effect.id)) goesOn.push(effect);
    else effect.stop();
  }
  return goesOn;
}

const nothing: readonly RunningEffect[] = [];
