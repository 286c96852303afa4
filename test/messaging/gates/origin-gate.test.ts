import fc from 'fast-check';
import { OriginGate } from '../../../src/messaging/gates/origin-gate.js';
import { empty, Gatehouse, type HouseLimits, steps, take } from './gatehouse.js';

/** As shipped. */
const shipped: HouseLimits = { attempts: 64, places: 1000, bytes: 1, totalBytes: 1 };

const limits: fc.Arbitrary<HouseLimits> = fc.record({
  attempts: fc.integer({ min: 1, max: 8 }),
  places: fc.integer({ min: 1, max: 12 }),
  bytes: fc.constant(30),
  totalBytes: fc.constant(100),
});

const hanging = Array.from({ length: 20 }, (_, index) => `hanging ${index}`);

function askMany(house: Gatehouse, origin: string, count: number): void {
  for (let index = 0; index < count; index += 1) house.ask(origin);
}

describe('among many destinations, one', () => {
  it('that has nothing in flight gets a place whenever one is free', () => {
    fc.assert(
      fc.property(limits, steps, (limits, list) => {
        const house = new Gatehouse(limits);
        for (const step of list) {
          take(house, step.kind === 'ask' ? { ...step, bytes: 0 } : step);
          const isIdleWaiting = house.waiting.some(({ origin }) => house.runningTo(origin) === 0);
          if (isIdleWaiting) expect(house.running).toHaveLength(limits.places);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('never has more than half of all places, and never one of the last beside another', () => {
    fc.assert(
      fc.property(limits, steps, (limits, list) => {
        const house = new Gatehouse(limits, ({ origin }, { running }) => {
          const own = running.filter((visitor) => visitor.origin === origin).length;
          expect(own).toBeLessThanOrEqual(Math.ceil(limits.places / 2));
          const kept = Math.ceil(limits.places / 8);
          if (running.length > limits.places - kept) expect(own).toBe(1);
        });
        for (const step of list) take(house, step);
        empty(house);
        expect(house.waiting).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    [64, 1000, 64],
    [64, 100, 44],
    [64, 64, 28],
    [64, 10, 4],
    [2, 4, 2],
    [2, 3, 1],
    [64, 2, 1],
    [64, 1, 1],
    [1, 1000, 1],
  ])('alone, where %i attempts and %i places are allowed, has %i', (attempts, places, has) => {
    const house = new Gatehouse({ ...shipped, attempts, places });
    askMany(house, 'alone', 200);
    expect(house.running).toHaveLength(has);
  });

  it('finds nearly as much room as each of twenty that hang, where they came together', () => {
    const house = new Gatehouse(shipped);
    for (let round = 0; round < 100; round += 1) for (const origin of hanging) house.ask(origin);
    const shares = hanging.map((origin) => house.runningTo(origin));
    expect([Math.min(...shares), Math.max(...shares)]).toEqual([32, 33]);
    askMany(house, 'good', 100);
    expect(house.runningTo('good')).toBeGreaterThanOrEqual(25);
  });

  it('finds room for several beside twenty that took all they could before it came', () => {
    const house = new Gatehouse(shipped);
    for (const origin of hanging) askMany(house, origin, 1000);
    askMany(house, 'good', 100);
    expect(house.runningTo('good')).toBeGreaterThanOrEqual(8);
  });

  it('finds a place beside a hundred that took all they could before it came', () => {
    const house = new Gatehouse(shipped);
    for (let index = 0; index < 100; index += 1) askMany(house, `hanging ${index}`, 100);
    const good = house.ask('good');
    expect(house.running).toContain(good);
  });

  it('gets its whole share back when the others have ended, without an end of its own', () => {
    const house = new Gatehouse(shipped);
    for (const origin of hanging) askMany(house, origin, 64);
    askMany(house, 'patient', 64);
    const before = house.runningTo('patient');
    expect(before).toBeLessThan(64);
    for (const visitor of [...house.running, ...house.waiting]) {
      if (visitor.origin !== 'patient') house.leave(visitor);
    }
    expect(house.runningTo('patient')).toBe(64);
  });

  it('is served before those that have more in flight, when a place becomes free', () => {
    const house = new Gatehouse({ ...shipped, attempts: 16, places: 32 });
    const leavers = ['a', 'b', 'c', 'd', 'e'].map((origin) => house.ask(origin));
    askMany(house, 'greedy', 20);
    askMany(house, 'modest', 20);
    const [greedy, modest] = [house.runningTo('greedy'), house.runningTo('modest')];
    for (const leaver of leavers.slice(0, 2)) house.leave(leaver);
    expect([greedy, modest]).toEqual([12, 6]);
    expect([house.runningTo('greedy'), house.runningTo('modest')]).toEqual([12, 7]);
  });

  it('has a share of the bytes in flight too, and one body whatever its size', () => {
    const house = new Gatehouse({ attempts: 8, places: 16, bytes: 30, totalBytes: 100 });
    for (let count = 0; count < 4; count += 1) house.ask('a', 10);
    house.ask('b', 50);
    expect([house.runningTo('a'), house.runningTo('b')]).toEqual([3, 1]);
    house.ask('b', 1);
    expect(house.runningTo('b')).toBe(1);
  });

  it('costs a few tries for each that leaves, however many wait for room', () => {
    const house = new Gatehouse(shipped);
    for (let round = 0; round < 3; round += 1) {
      for (let index = 0; index < 900; index += 1) house.ask(`crowded ${index}`);
    }
    const leaves = 300;
    house.tries = 0;
    for (let count = 0; count < leaves; count += 1) house.leave(house.running[0]!);
    expect(house.tries / leaves).toBeLessThan(20);
  });

  it('still waits for room when one that was held up elsewhere has passed it', () => {
    const gate = new OriginGate({ attempts: 4, places: 8, bytes: 1 }, () => 0);
    const own = gate.lineOf(nobody);
    const others = ['b', 'c', 'd', 'e', 'f', 'g'].map((origin) =>
      gate.lineOf({ ...nobody, origin }),
    );
    for (const line of [own, ...others]) gate.enter(line, nobody);
    expect(gate.isOpen(own, nobody)).toBe(false);
    gate.leave(others[0]!, nobody);
    gate.enter(own, nobody);
    expect(gate.takeOpened()).toBeUndefined();
    for (const line of others.slice(1, 4)) gate.leave(line, nobody);
    expect(gate.takeOpened()).toBe(own);
    expect(gate.takeOpened()).toBeUndefined();
  });

  it('is forgotten when no message goes to it any more', () => {
    const gate = new OriginGate({ attempts: 8, places: 16, bytes: 1 }, () => 0);
    const lineOf = (origin: string) => gate.lineOf({ ...nobody, origin });
    const first = lineOf('first');
    const busy = lineOf('busy');
    gate.enter(busy, nobody);
    for (let count = 0; count < 5000; count += 1) lineOf(`${count}`);
    expect(lineOf('first')).not.toBe(first);
    expect(lineOf('busy')).toBe(busy);
  });
});

const nobody = {
  messageId: 'msg_1',
  queueName: null,
  flowControlKey: null,
  origin: 'a',
  bodyBytes: 0,
  admitted: () => undefined,
};
