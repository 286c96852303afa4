import fc from 'fast-check';
import { CountingGate } from '../../../src/messaging/gates/counting-gate.js';
import type { Admission, Entrant } from '../../../src/messaging/gates/gate.js';
import { Line } from '../../../src/messaging/gates/gate.js';
import { Gates } from '../../../src/messaging/gates/gates.js';
import { empty, Gatehouse, type HouseLimits, steps, take } from './gatehouse.js';

const small: HouseLimits = { attempts: 2, places: 4, bytes: 70, totalBytes: 100 };

const limits: fc.Arbitrary<HouseLimits> = fc.record({
  attempts: fc.integer({ min: 1, max: 8 }),
  places: fc.integer({ min: 1, max: 12 }),
  bytes: fc.constantFrom(30, 70),
  totalBytes: fc.constant(100),
});

function expectLimitsKept({ running, door }: Gatehouse, limits: HouseLimits): void {
  expect(door.running).toBe(running.length);
  expect(running.length).toBeLessThanOrEqual(limits.places);
  for (const origin of new Set(running.map((visitor) => visitor.origin))) {
    const own = running.filter((visitor) => visitor.origin === origin);
    expect(own.length).toBeLessThanOrEqual(limits.attempts);
    expectBytesKept(own, limits.bytes);
  }
  expectBytesKept(running, limits.totalBytes);
}

/** One that is above the limit goes alone. */
function expectBytesKept(running: readonly { bodyBytes: number }[], limit: number): void {
  const bodies = running.map(({ bodyBytes }) => bodyBytes).filter((bytes) => bytes > 0);
  const sum = bodies.reduce((total, bytes) => total + bytes, 0);
  if (bodies.length > 1) expect(sum).toBeLessThanOrEqual(limit);
}

/** A visitor waits because of a gate without room, or of an older visitor of the same line. */
function expectNobodyWaitsInVain({ gates, waiting }: Gatehouse): void {
  for (const visitor of waiting) {
    const reasons = gates.filter((gate) => {
      const line = gate.lineOf(visitor);
      const isBehind = waiting.some(
        ({ admission }) => admission?.line === line && admission.ticket < visitor.admission!.ticket,
      );
      return line !== null && (isBehind || !gate.isOpen(line, visitor));
    });
    const delegate = visitor.admission?.line?.delegate ?? null;
    const isStoodFor = delegate !== null && delegate.ticket < visitor.admission!.ticket;
    expect(reasons.length > 0 || isStoodFor).toBe(true);
  }
}

describe('the gates', () => {
  it('keep every limit, lose no attempt, and let no attempt wait in vain', () => {
    fc.assert(
      fc.property(limits, steps, (limits, list) => {
        const house = new Gatehouse(limits);
        for (const step of list) {
          take(house, step);
          expectLimitsKept(house, limits);
          expectNobodyWaitsInVain(house);
          expect(house.door.waiting).toBe(house.waiting.length);
        }
        empty(house);
        expect(house.waiting).toHaveLength(0);
        expect(house.door.running + house.door.waiting).toBe(0);
        const anybody = { ...nobody, bodyBytes: 1 };
        for (const gate of house.gates) expect(gate.lineOf(anybody)?.isIdle).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  it('let the attempts of one origin start in the order in which they came', () => {
    fc.assert(
      fc.property(limits, steps, (limits, list) => {
        const house = new Gatehouse(limits);
        for (const step of list) {
          take(house, step.kind === 'ask' ? { ...step, bytes: 0 } : step);
        }
        empty(house);
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
    const house = new Gatehouse(small);
    for (let count = 0; count < 10; count += 1) house.ask('slow');
    house.ask('other');
    expect(house.running.map(({ origin }) => origin)).toEqual(['slow', 'slow', 'other']);
  });

  it('do not let small bodies pass a great one for ever', () => {
    const house = new Gatehouse(small);
    house.ask('a', 60);
    const great = house.ask('b', 90);
    const little = house.ask('c', 1);
    expect(house.waiting).toEqual([great, little]);
    house.leave(house.running[0]!);
    expect(house.running).toEqual([great, little]);
  });

  it('let those that take nothing of a limit pass all who wait for it', () => {
    const house = new Gatehouse(small);
    house.ask('a', 60);
    const great = house.ask('b', 90);
    const bodyless = house.ask('c', 0);
    expect(house.waiting).toEqual([great]);
    expect(house.running).toContain(bodyless);
  });

  it('let a body above the whole budget go alone', () => {
    const house = new Gatehouse(small);
    const little = house.ask('a', 1);
    const huge = house.ask('b', 1000);
    expect(house.waiting).toEqual([huge]);
    house.leave(little);
    expect(house.running).toEqual([huge]);
  });

  it('try the next of a line when the one it waited behind has passed', () => {
    const house = new Gatehouse(small);
    const other = house.ask('b', 60);
    const first = house.ask('a', 40);
    const second = house.ask('a', 0);
    const great = house.ask('a', 60);
    const little = house.ask('a', 0);
    house.leave(first);
    house.leave(second);
    expect(house.waiting).toEqual([great, little]);
    house.leave(other);
    expect(house.running).toEqual([great, little]);
  });

  it('count an attempt that leaves twice once', () => {
    const house = new Gatehouse(small);
    const first = house.ask('a');
    house.leave(first);
    house.leave(first);
    expect(house.door.running).toBe(0);
    for (let count = 0; count < 5; count += 1) house.ask('a');
    expect(house.running).toHaveLength(2);
  });

  it('try a few waiters for each that leaves, however many wait', () => {
    const house = new Gatehouse({ ...small, attempts: 8, places: 16 });
    for (let count = 0; count < 8; count += 1) house.ask('busy');
    for (let count = 0; count < 8; count += 1) house.ask(`early ${count}`);
    for (let count = 0; count < 2000; count += 1) house.ask('busy');
    for (let count = 0; count < 2000; count += 1) house.ask(`late ${count}`);
    house.tries = 0;
    for (let round = 0; round < 900; round += 1) {
      const isBusy = round % 3 === 0;
      const found = house.running.find(({ origin }) => (origin === 'busy') === isBusy);
      house.leave(found ?? house.running[0]!);
    }
    expect(house.tries / 900).toBeLessThan(20);
  });

  it('let those of a line pass in the order of their ranks', () => {
    const ranks = new Map([
      ['late', 3],
      ['middle', 2],
      ['early', 1],
    ]);
    class Ranked extends CountingGate {
      readonly ranked = new Line(this, ({ entrant }) => ranks.get(entrant.messageId) ?? 99);
      override lineOf(): Line {
        return this.ranked;
      }
    }
    const door = new Gates();
    door.add(new Ranked('attempts', 1));
    const passed: string[] = [];
    const ask = (messageId: string): Admission =>
      door.admit({ ...nobody, messageId, admitted: () => void passed.push(messageId) });
    const first = ask('first');
    const waiting = ['late', 'middle', 'early'].map(ask);
    door.leave(first);
    for (const admission of [...waiting].reverse()) door.leave(admission);
    expect(passed).toEqual(['first', 'early', 'middle', 'late']);
  });
});

const nobody: Entrant = {
  messageId: 'msg_1',
  queueName: null,
  flowControlKey: null,
  origin: 'a',
  bodyBytes: 0,
  admitted() {
    throw new Error('nobody asked');
  },
};
