import fc from 'fast-check';
import type { Admission, Entrant } from '../../src/delivery/admission.js';
import { ByteBudget } from '../../src/delivery/byte-budget.js';
import { CountingGate } from '../../src/delivery/counting-gate.js';
import type { Gate } from '../../src/delivery/gate.js';
import { Gates } from '../../src/delivery/gates.js';
import { Line } from '../../src/delivery/line.js';

const originLimit = 2;
const totalLimit = 4;
const bytesLimit = 100;

/** The gates of a server, small enough to be full most of the time, and what passed them. */
class Gatehouse {
  readonly gates: readonly Gate[] = [
    new CountingGate(originLimit, (entrant) => entrant.origin),
    new CountingGate(totalLimit, null),
    new ByteBudget(bytesLimit),
  ];
  readonly door = new Gates(this.gates);
  readonly started: Visitor[] = [];
  running: Visitor[] = [];
  waiting: Visitor[] = [];
  asked = 0;

  ask(origin: string, bodyBytes: number, leavesAtOnce = false): Visitor {
    const visitor = new Visitor(this, origin, bodyBytes, leavesAtOnce);
    this.asked += 1;
    this.waiting.push(visitor);
    visitor.admission = this.door.ask(visitor);
    if (visitor.hasLeft) this.door.leave(visitor.admission);
    return visitor;
  }

  leave(visitor: Visitor): void {
    this.running = this.running.filter((other) => other !== visitor);
    this.waiting = this.waiting.filter((other) => other !== visitor);
    visitor.hasLeft = true;
    if (visitor.admission !== null) this.door.leave(visitor.admission);
  }
}

class Visitor implements Entrant {
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
    if (this.leavesAtOnce) this.house.leave(this);
  }
}

function expectLimitsKept({ running, door }: Gatehouse): void {
  expect(door.running).toBe(running.length);
  expect(running.length).toBeLessThanOrEqual(totalLimit);
  const perOrigin = new Map<string, number>();
  for (const { origin } of running) perOrigin.set(origin, (perOrigin.get(origin) ?? 0) + 1);
  expect(Math.max(0, ...perOrigin.values())).toBeLessThanOrEqual(originLimit);
  const bytes = running.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);
  if (running.filter(({ bodyBytes }) => bodyBytes > 0).length > 1) {
    expect(bytes).toBeLessThanOrEqual(bytesLimit);
  }
}

/** Whoever waits does so because of a gate without room, or of somebody older in the same line. */
function expectNobodyWaitsInVain({ gates, waiting }: Gatehouse): void {
  for (const visitor of waiting) {
    const reasons = gates.filter((gate) => {
      const line = gate.lineOf(visitor);
      const isBehind = waiting.some(
        ({ admission }) => admission?.line === line && admission.ticket < visitor.admission!.ticket,
      );
      return line !== null && (isBehind || !gate.hasRoom(line, visitor));
    });
    expect(reasons).not.toHaveLength(0);
  }
}

type Step =
  | { readonly kind: 'ask'; readonly origin: string; readonly bytes: number; readonly at: boolean }
  | { readonly kind: 'end' | 'withdraw'; readonly pick: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('ask' as const),
        origin: fc.constantFrom('a', 'a', 'a', 'b', 'c', 'd'),
        bytes: fc.constantFrom(0, 1, 10, 40, 60, 100, 250),
        at: fc.boolean(),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('end' as const), pick: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), pick: fc.nat() }) },
  ),
  { maxLength: 200 },
);

function take(house: Gatehouse, step: Step): void {
  if (step.kind === 'ask') {
    house.ask(step.origin, step.bytes, step.at && step.bytes === 1);
    return;
  }
  const from = step.kind === 'end' ? house.running : house.waiting;
  const visitor = from[step.pick % Math.max(from.length, 1)];
  if (visitor !== undefined) house.leave(visitor);
}

describe('the gates', () => {
  it('keep every limit, lose nobody, and let nobody wait in vain', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const house = new Gatehouse();
        for (const step of list) {
          take(house, step);
          expectLimitsKept(house);
          expectNobodyWaitsInVain(house);
          expect(house.door.waiting).toBe(house.waiting.length);
        }
        while (house.running.length > 0) house.leave(house.running[0]!);
        expect(house.waiting).toHaveLength(0);
        expect(house.door.running + house.door.waiting).toBe(0);
        for (const gate of house.gates) expect(gate.lineOf(nobody)?.isIdle).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  it('let the attempts of one origin start in the order in which they came', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const house = new Gatehouse();
        for (const step of list) take(house, step);
        while (house.running.length > 0) house.leave(house.running[0]!);
        const lastOf = new Map<string, number>();
        for (const { origin, admission } of house.started) {
          if (admission === null) continue;
          expect(admission.ticket).toBeGreaterThan(lastOf.get(origin) ?? -1);
          lastOf.set(origin, admission.ticket);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('let others pass when one origin is full', () => {
    const house = new Gatehouse();
    for (let count = 0; count < 10; count += 1) house.ask('slow', 0);
    house.ask('other', 0);
    expect(house.running.map(({ origin }) => origin)).toEqual(['slow', 'slow', 'other']);
  });

  it('do not let small bodies pass a great one for ever', () => {
    const house = new Gatehouse();
    house.ask('a', 60);
    const great = house.ask('b', 90);
    const small = house.ask('c', 1);
    expect(house.waiting).toEqual([great, small]);
    house.leave(house.running[0]!);
    expect(house.running).toEqual([great, small]);
  });

  it('let a body above the whole budget go alone', () => {
    const house = new Gatehouse();
    const small = house.ask('a', 1);
    const huge = house.ask('b', 1000);
    expect(house.waiting).toEqual([huge]);
    house.leave(small);
    expect(house.running).toEqual([huge]);
  });

  it('try the next of a line when the one it waited behind has passed', () => {
    const house = new Gatehouse();
    const other = house.ask('b', 60);
    const first = house.ask('a', 40);
    const second = house.ask('a', 0);
    const great = house.ask('a', 60);
    const small = house.ask('a', 0);
    house.leave(first);
    house.leave(second);
    expect(house.waiting).toEqual([great, small]);
    house.leave(other);
    expect(house.running).toEqual([great, small]);
  });

  it('count an attempt that leaves twice once', () => {
    const house = new Gatehouse();
    const first = house.ask('a', 0);
    house.leave(first);
    house.leave(first);
    expect(house.door.running).toBe(0);
    for (let count = 0; count < 5; count += 1) house.ask('a', 0);
    expect(house.running).toHaveLength(originLimit);
  });

  it('try a few waiters for each that leaves, however many wait', () => {
    let tries = 0;
    class CountedGate extends CountingGate {
      override hasRoom(line: Line): boolean {
        tries += 1;
        return super.hasRoom(line);
      }
    }
    const door = new Gates([
      new CountedGate(8, (entrant) => entrant.origin),
      new CountedGate(16, null),
    ]);
    const running: { admission: Admission | null; origin: string }[] = [];
    const ask = (origin: string) => {
      const visitor = {
        origin,
        ...unlimited,
        bodyBytes: 0,
        admission: null as Admission | null,
        admitted: () => void running.push(visitor),
      };
      visitor.admission = door.ask(visitor);
    };
    const release = (isOfBusyOrigin: boolean) => {
      const index = running.findIndex(({ origin }) => (origin === 'busy') === isOfBusyOrigin);
      door.leave(running.splice(index, 1)[0]!.admission!);
    };
    for (let count = 0; count < 8; count += 1) ask('busy');
    for (let count = 0; count < 8; count += 1) ask(`early ${count}`);
    for (let count = 0; count < 2000; count += 1) ask('busy');
    for (let count = 0; count < 2000; count += 1) ask(`late ${count}`);
    tries = 0;
    for (let round = 0; round < 900; round += 1) release(round % 3 === 0);
    expect(tries / 900).toBeLessThan(20);
  });

  it('let those of a line pass in the order of their ranks', () => {
    const ranks = new Map([
      ['late', 3],
      ['middle', 2],
      ['early', 1],
    ]);
    class Ranked extends CountingGate {
      readonly line = new Line(this, ({ entrant }) => ranks.get(entrant.messageId) ?? 99);
      override lineOf(): Line {
        return this.line;
      }
    }
    const door = new Gates([new Ranked(1, null)]);
    const passed: string[] = [];
    const ask = (messageId: string) =>
      door.ask({ ...nobody, messageId, admitted: () => void passed.push(messageId) });
    const first = ask('first');
    const waiting = ['late', 'middle', 'early'].map(ask);
    door.leave(first);
    for (const admission of [...waiting].reverse()) door.leave(admission);
    expect(passed).toEqual(['first', 'early', 'middle', 'late']);
  });

  it('forget origins that nobody calls any more', () => {
    const gate = new CountingGate(1, (entrant) => entrant.origin);
    const first = gate.lineOf({ ...nobody, origin: 'first' });
    const busy = gate.lineOf({ ...nobody, origin: 'busy' });
    gate.enter(busy);
    for (let count = 0; count < 5000; count += 1) gate.lineOf({ ...nobody, origin: `${count}` });
    expect(gate.lineOf({ ...nobody, origin: 'first' })).not.toBe(first);
    expect(gate.lineOf({ ...nobody, origin: 'busy' })).toBe(busy);
  });
});

const unlimited = { messageId: 'msg_1', queueName: null, flowControlKey: null };

const nobody: Entrant = {
  ...unlimited,
  origin: 'a',
  bodyBytes: 0,
  admitted() {
    throw new Error('nobody asked');
  },
};
