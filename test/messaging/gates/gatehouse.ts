/** The gates of a server, small enough to be full most of the time, and what passed them. */
import fc from 'fast-check';
import { CountingGate } from '../../../src/messaging/gates/counting-gate.js';
import type { Admission, Entrant, Gate } from '../../../src/messaging/gates/gate.js';
import { Gates } from '../../../src/messaging/gates/gates.js';
import { OriginGate, type OriginLimits } from '../../../src/messaging/gates/origin-gate.js';

export interface HouseLimits extends OriginLimits {
  /** Of the bodies of all attempts. */
  readonly totalBytes: number;
}

export class Gatehouse {
  readonly gates: readonly Gate[];
  readonly door = new Gates();
  readonly started: Visitor[] = [];
  running: Visitor[] = [];
  waiting: Visitor[] = [];
  /** How often a gate was asked for room. */
  tries = 0;

  constructor(
    limits: HouseLimits,
    /** Sees each visitor when it is in. */
    readonly onStart: (visitor: Visitor, house: Gatehouse) => void = () => undefined,
  ) {
    this.gates = [
      new OriginGate(limits, ({ bodyBytes }) => bodyBytes),
      new CountingGate('bodyBytes', limits.totalBytes, ({ bodyBytes }) => bodyBytes),
      new CountingGate('attempts', limits.places),
    ].map((gate) => this.counted(gate));
    this.door.add(...this.gates);
  }

  ask(origin: string, bodyBytes = 0, leavesAtOnce = false): Visitor {
    const visitor = new Visitor(this, origin, bodyBytes, leavesAtOnce);
    this.waiting.push(visitor);
    visitor.admission = this.door.admit(visitor);
    if (visitor.hasLeft) this.door.leave(visitor.admission);
    return visitor;
  }

  leave(visitor: Visitor): void {
    this.running = this.running.filter((other) => other !== visitor);
    this.waiting = this.waiting.filter((other) => other !== visitor);
    visitor.hasLeft = true;
    if (visitor.admission !== null) this.door.leave(visitor.admission);
  }

  /** Attempts of `origin` that are in. */
  runningTo(origin: string): number {
    return this.running.filter((visitor) => visitor.origin === origin).length;
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

export class Visitor implements Entrant {
  admission: Admission | null = null;
  hasLeft = false;
  readonly messageId = 'msg_1';
  readonly queueName = null;
  readonly flowControlKey = null;

  constructor(
    private readonly house: Gatehouse,
    readonly origin: string,
    readonly bodyBytes: number,
    private readonly leavesAtOnce: boolean,
  ) {}

  admitted(): void {
    this.house.waiting = this.house.waiting.filter((other) => other !== this);
    this.house.running.push(this);
    this.house.started.push(this);
    this.house.onStart(this, this.house);
    if (this.leavesAtOnce) this.house.leave(this);
  }
}

export type Step =
  | { readonly kind: 'ask'; readonly origin: string; readonly bytes: number; readonly at: boolean }
  | { readonly kind: 'end' | 'withdraw'; readonly pick: number };

/** What happens in front of a house: some ask, some end, some give up. */
export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('ask' as const),
        origin: fc.constantFrom('a', 'a', 'a', 'a', 'b', 'b', 'c', 'd', 'e', 'f', 'g'),
        bytes: fc.constantFrom(0, 0, 0, 1, 10, 40, 60, 100, 250),
        at: fc.boolean(),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('end' as const), pick: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), pick: fc.nat() }) },
  ),
  { maxLength: 200 },
);

export function take(house: Gatehouse, step: Step): void {
  if (step.kind === 'ask') {
    house.ask(step.origin, step.bytes, step.at && step.bytes === 1);
    return;
  }
  const from = step.kind === 'end' ? house.running : house.waiting;
  const visitor = from[step.pick % Math.max(from.length, 1)];
  if (visitor !== undefined) house.leave(visitor);
}

/** All that are in leave, one after the other, until the house is empty. */
export function empty(house: Gatehouse): void {
  for (let next = house.running[0]; next !== undefined; next = house.running[0]) house.leave(next);
}
