/**
 * What runs is what the state wants: today and after a crash, by the same line of code. After a
 * stream's events are durable its wishes are compared with what runs: missing ones start, others
 * stop.
 */
import { type Alarm, AlarmClock } from './alarm-clock.js';
import type { Clock } from './clock.js';
import type { Effect } from './decider.js';
import type { EffectCarrier, EffectSource } from './registration.js';

/** An effect that was wished for: parked until its time, then running. */
class Wish {
  private alarm: Alarm | null = null;
  private stopRunning: (() => void) | null = null;

  constructor(
    readonly source: EffectSource,
    readonly effect: Effect,
    private readonly carrier: EffectCarrier,
  ) {}

  park(alarms: AlarmClock<Wish>): void {
    this.alarm = alarms.set(this.effect.notBefore, this);
  }

  start(): void {
    this.alarm = null;
    this.stopRunning = this.carrier.start(this.source, this.effect);
  }

  stop(): void {
    this.alarm?.cancel();
    this.stopRunning?.();
  }
}

export class EffectRunner {
  private readonly carriers = new Map<string, EffectCarrier>();
  /** What is wished for, by kind and stream. */
  private readonly running = new Map<string, Map<string, readonly Wish[]>>();
  private readonly alarms: AlarmClock<Wish>;
  private stopped = false;

  constructor(private readonly clock: Clock) {
    this.alarms = new AlarmClock(clock, (wish) => wish.start());
  }

  /** Effects of `kind` are carried out by `carrier`. */
  carry(kind: string, carrier: EffectCarrier): void {
    this.carriers.set(kind, carrier);
  }

  /** Starts what `wanted` names and does not run yet, stops what runs and is not named. */
  reconcile(source: EffectSource, wanted: readonly Effect[]): void {
    if (this.stopped) return;
    const streams = this.streamsOf(source.kind);
    const running = streams.get(source.id);
    if (running === undefined) {
      if (wanted.length === 0) return;
      streams.set(
        source.id,
        wanted.map((effect) => this.begin(source, effect)),
      );
      return;
    }
    const isNamed = (wish: Wish) => wanted.some(({ id }) => id === wish.effect.id);
    const runs = (effect: Effect) => running.some((wish) => wish.effect.id === effect.id);
    for (const wish of running) if (!isNamed(wish)) wish.stop();
    const started = wanted
      .filter((effect) => !runs(effect))
      .map((effect) => this.begin(source, effect));
    const now = [...running.filter(isNamed), ...started];
    if (now.length === 0) streams.delete(source.id);
    else streams.set(source.id, now);
  }

  /** Nothing starts any more; what runs is left to end by itself. */
  stop(): void {
    this.stopped = true;
    this.alarms.stop();
  }

  private streamsOf(kind: string): Map<string, readonly Wish[]> {
    const known = this.running.get(kind);
    if (known !== undefined) return known;
    const streams = new Map<string, readonly Wish[]>();
    this.running.set(kind, streams);
    return streams;
  }

  private begin(source: EffectSource, effect: Effect): Wish {
    const carrier = this.carriers.get(effect.kind);
    if (carrier === undefined) throw new Error(`nobody carries out ${effect.kind}`);
    const wish = new Wish(source, effect, carrier);
    if (effect.notBefore > this.clock.now()) wish.park(this.alarms);
    else wish.start();
    return wish;
  }
}
