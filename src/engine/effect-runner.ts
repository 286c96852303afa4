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
  private readonly running = new Map<string, Wish[]>();
  private readonly alarms: AlarmClock<Wish>;
  private stopped = false;

  constructor(private readonly clock: Clock) {
    this.alarms = new AlarmClock(clock, (wish) => wish.start());
  }

  /** Effects of `kind` are carried out by `carrier`. */
  carry(kind: string, carrier: EffectCarrier): void {
    this.carriers.set(kind, carrier);
  }

  /** How many effects are wished for, parked ones included. */
  get size(): number {
    return this.running.size;
  }

  /** Starts what `wanted` names and does not run yet, stops what runs and is not named. */
  reconcile(source: EffectSource, wanted: readonly Effect[]): void {
    if (this.stopped) return;
    const name = `${source.kind}/${source.id}`;
    const running = this.running.get(name);
    if (running === undefined && wanted.length === 0) return;
    const kept: Wish[] = [];
    for (const wish of running ?? nothing) {
      if (wanted.some((effect) => effect.id === wish.effect.id)) kept.push(wish);
      else wish.stop();
    }
    for (const effect of wanted) {
      if (!kept.some((wish) => wish.effect.id === effect.id)) kept.push(this.begin(source, effect));
    }
    if (kept.length === 0) this.running.delete(name);
    else this.running.set(name, kept);
  }

  /** Nothing starts any more; what runs is left to end by itself. */
  stop(): void {
    this.stopped = true;
    this.alarms.stop();
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

const nothing: readonly Wish[] = [];
