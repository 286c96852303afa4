/** Attempts at the gates of a server with such small limits that the gates are usually full. */
import fc from 'fast-check';
import { CountingGate } from '../../../src/messaging/gates/counting-gate.js';
import { FairGate, type FairLimits } from '../../../src/messaging/gates/fair-gate.js';
import { type Admission, type Entrant, type Gate } from '../../../src/messaging/gates/gate.js';
import { Gates } from '../../../src/messaging/gates/gates.js';

export interface TrafficLimits extends FairLimits {
  /** Bytes of the bodies of all attempts. */
  readonly totalBytes: number;
}

/** Attempts to several origins, which run and wait as the gates allow. */
export class GatedTraffic {
  readonly gates: readonly Gate[];
  readonly joined = new Gates();
  readonly started: SimulatedAttempt[] = [];
  running: SimulatedAttempt[] = [];
  waiting: SimulatedAttempt[] = [];
  /** How often a gate was tried. */
  tries = 0;

  constructor(
    limits: TrafficLimits,
    /** Runs when an attempt has been admitted. */
    readonly onStart: (attempt: SimulatedAttempt, traffic: GatedTraffic) => void = () => undefined,
  ) {
    this.gates = [
      new FairGate('origin', limits, ({ bodyBytes }) => bodyBytes),
      new FairGate('domain', { ...limits, attempts: limits.places }, ({ bodyBytes }) => bodyBytes),
      new CountingGate('bodyBytes', limits.totalBytes, ({ bodyBytes }) => bodyBytes),
      new CountingGate('attempts', limits.places),
    ].map((gate) => this.counted(gate));
    this.joined.add(...this.gates);
  }

  ask(origin: string, bodyBytes = 0, leavesAtOnce = false): SimulatedAttempt {
    const attempt = new SimulatedAttempt(this, origin, bodyBytes, leavesAtOnce);
    this.waiting.push(attempt);
    attempt.admission = this.joined.admit(attempt);
    if (attempt.hasLeft) this.joined.leave(attempt.admission);
    return attempt;
  }

  leave(attempt: SimulatedAttempt): void {
    this.running = this.running.filter((other) => other !== attempt);
    this.waiting = this.waiting.filter((other) => other !== attempt);
    attempt.hasLeft = true;
    if (attempt.admission !== null) this.joined.leave(attempt.admission);
  }

  /** Attempts to `origin` in flight. */
  runningTo(origin: string): number {
    return this.running.filter((attempt) => attempt.origin === origin).length;
  }

  private counted(gate: Gate): Gate {
    const isOpen = gate.isOpen.bind(gate);
    gate.isOpen = (line, entrant) => {
      this.tries += 1;
      return isOpen(line, entrant);
    };
    return gate;
  }
}

/** One attempt: waits until it is admitted, and runs until it leaves. */
export class SimulatedAttempt implements Entrant {
  admission: Admission | null = null;
  hasLeft = false;
  readonly messageId = 'msg_1';
  readonly queueName = null;
  readonly flowControlKey = null;
  /** That of an origin `a.example` is `example`. */
  readonly domain: string | null;

  constructor(
    private readonly traffic: GatedTraffic,
    readonly origin: string,
    readonly bodyBytes: number,
    private readonly leavesAtOnce: boolean,
  ) {
    this.domain = origin.split('.')[1] ?? null;
  }

  admitted(): void {
    this.traffic.waiting = this.traffic.waiting.filter((other) => other !== this);
    this.traffic.running.push(this);
    this.traffic.started.push(this);
    this.traffic.onStart(this, this.traffic);
    if (this.leavesAtOnce) this.traffic.leave(this);
  }
}

export type Step =
  | { readonly kind: 'ask'; readonly origin: string; readonly bytes: number; readonly at: boolean }
  | { readonly kind: 'end' | 'withdraw'; readonly pick: number };

/** Attempts to these origins that arrive, end, or are canceled while they wait. */
function stepsOf(...origins: readonly string[]): fc.Arbitrary<Step[]> {
  return fc.array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant('ask' as const),
          origin: fc.constantFrom(...origins),
          bytes: fc.constantFrom(0, 0, 0, 1, 10, 40, 60, 100, 250),
          at: fc.boolean(),
        }),
      },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('end' as const), pick }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), pick }) },
    ),
    { maxLength: 200 },
  );
}

const pick = fc.nat();

/** Of origins that have no domain. */
export const steps = stepsOf('a', 'a', 'a', 'a', 'b', 'b', 'c', 'd', 'e', 'f', 'g');

/** Of origins most of which share two domains. */
export const stepsInDomains = stepsOf('a.x', 'a.x', 'b.x', 'c.x', 'c.x', 'd.x', 'e.y', 'f.y', 'g');

export function take(traffic: GatedTraffic, step: Step): void {
  if (step.kind === 'ask') {
    traffic.ask(step.origin, step.bytes, step.at && step.bytes === 1);
    return;
  }
  const from = step.kind === 'end' ? traffic.running : traffic.waiting;
  const attempt = from[step.pick % Math.max(from.length, 1)];
  if (attempt !== undefined) traffic.leave(attempt);
}

/** Ends all attempts, one after the other, until none runs. */
export function empty(traffic: GatedTraffic): void {
  for (let next = traffic.running[0]; next !== undefined; next = traffic.running[0])
    traffic.leave(next);
}
