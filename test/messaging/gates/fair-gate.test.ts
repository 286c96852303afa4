import fc from 'fast-check';
import { FairGate } from '../../../src/messaging/gates/fair-gate.js';
import { empty, GatedTraffic, steps, type TrafficLimits, take } from './gated-traffic.js';

/** As shipped. */
const shipped: TrafficLimits = { attempts: 64, places: 1000, bytes: 1, totalBytes: 1 };

const limits: fc.Arbitrary<TrafficLimits> = fc.record({
  attempts: fc.integer({ min: 1, max: 8 }),
  places: fc.integer({ min: 1, max: 12 }),
  bytes: fc.constant(30),
  totalBytes: fc.constant(100),
});

const hanging = Array.from({ length: 20 }, (_, index) => `hanging ${index}`);

function askMany(traffic: GatedTraffic, origin: string, count: number): void {
  for (let index = 0; index < count; index += 1) traffic.ask(origin);
}

describe('one of many destinations', () => {
  it('that has nothing in flight gets a place whenever one is free', () => {
    fc.assert(
      fc.property(limits, steps, (limits, list) => {
        const traffic = new GatedTraffic(limits);
        for (const step of list) {
          take(traffic, step.kind === 'ask' ? { ...step, bytes: 0 } : step);
          const isIdleWaiting = traffic.waiting.some(
            ({ origin }) => traffic.runningTo(origin) === 0,
          );
          if (isIdleWaiting) expect(traffic.running).toHaveLength(limits.places);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('never takes over half of all places, nor a last one while others are busy', () => {
    fc.assert(
      fc.property(limits, steps, (limits, list) => {
        const traffic = new GatedTraffic(limits, ({ origin }, { running }) => {
          const own = running.filter((attempt) => attempt.origin === origin).length;
          expect(own).toBeLessThanOrEqual(Math.ceil(limits.places / 2));
          const kept = Math.ceil(limits.places / 8);
          if (running.length > limits.places - kept) expect(own).toBe(1);
        });
        for (const step of list) take(traffic, step);
        empty(traffic);
        expect(traffic.waiting).toEqual([]);
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
  ])('alone, of %i attempts and %i places that are allowed, gets %i', (attempts, places, has) => {
    const traffic = new GatedTraffic({ ...shipped, attempts, places });
    askMany(traffic, 'alone', 200);
    expect(traffic.running).toHaveLength(has);
  });

  it('gets nearly as much room as each of twenty hanging ones that came with it', () => {
    const traffic = new GatedTraffic(shipped);
    for (let round = 0; round < 100; round += 1) for (const origin of hanging) traffic.ask(origin);
    const shares = hanging.map((origin) => traffic.runningTo(origin));
    expect([Math.min(...shares), Math.max(...shares)]).toEqual([32, 33]);
    askMany(traffic, 'good', 100);
    expect(traffic.runningTo('good')).toBeGreaterThanOrEqual(25);
  });

  it('gets room for several attempts beside twenty that took all they could', () => {
    const traffic = new GatedTraffic(shipped);
    for (const origin of hanging) askMany(traffic, origin, 1000);
    askMany(traffic, 'good', 100);
    expect(traffic.runningTo('good')).toBeGreaterThanOrEqual(8);
  });

  it('gets a place beside a hundred that took all they could before', () => {
    const traffic = new GatedTraffic(shipped);
    for (let index = 0; index < 100; index += 1) askMany(traffic, `hanging ${index}`, 100);
    const good = traffic.ask('good');
    expect(traffic.running).toContain(good);
  });

  it('regains its whole share when others have ended, without an end of its own', () => {
    const traffic = new GatedTraffic(shipped);
    for (const origin of hanging) askMany(traffic, origin, 64);
    askMany(traffic, 'patient', 64);
    const before = traffic.runningTo('patient');
    expect(before).toBeLessThan(64);
    for (const attempt of [...traffic.running, ...traffic.waiting]) {
      if (attempt.origin !== 'patient') traffic.leave(attempt);
    }
    expect(traffic.runningTo('patient')).toBe(64);
  });

  it('is served before those that have more in flight, when a place becomes free', () => {
    const traffic = new GatedTraffic({ ...shipped, attempts: 16, places: 32 });
    const leavers = ['a', 'b', 'c', 'd', 'e'].map((origin) => traffic.ask(origin));
    askMany(traffic, 'greedy', 20);
    askMany(traffic, 'modest', 20);
    const [greedy, modest] = [traffic.runningTo('greedy'), traffic.runningTo('modest')];
    for (const leaver of leavers.slice(0, 2)) traffic.leave(leaver);
    expect([greedy, modest]).toEqual([12, 6]);
    expect([traffic.runningTo('greedy'), traffic.runningTo('modest')]).toEqual([12, 7]);
  });

  it('has a share of the bytes in flight, too, and may send one body of any size', () => {
    const traffic = new GatedTraffic({ attempts: 8, places: 16, bytes: 30, totalBytes: 100 });
    for (let count = 0; count < 4; count += 1) traffic.ask('a', 10);
    traffic.ask('b', 50);
    expect([traffic.runningTo('a'), traffic.runningTo('b')]).toEqual([3, 1]);
    traffic.ask('b', 1);
    expect(traffic.runningTo('b')).toBe(1);
  });

  it('needs only a few tries per leaving attempt, however many wait for room', () => {
    const traffic = new GatedTraffic(shipped);
    for (let round = 0; round < 3; round += 1) {
      for (let index = 0; index < 900; index += 1) traffic.ask(`crowded ${index}`);
    }
    const leaves = 300;
    traffic.tries = 0;
    for (let count = 0; count < leaves; count += 1) traffic.leave(traffic.running[0]!);
    expect(traffic.tries / leaves).toBeLessThan(20);
  });

  it('still waits for room after one that was held up elsewhere has passed it', () => {
    const gate = new FairGate('origin', { attempts: 4, places: 8, bytes: 1 }, () => 0);
    const own = lineAt(gate, 'a');
    const others = ['b', 'c', 'd', 'e', 'f', 'g'].map((origin) => lineAt(gate, origin));
    for (const line of [own, ...others]) gate.enter(line, bareEntrant);
    expect(gate.isOpen(own, bareEntrant)).toBe(false);
    gate.leave(others[0]!, bareEntrant);
    gate.enter(own, bareEntrant);
    expect(gate.takeOpened()).toBeUndefined();
    for (const line of others.slice(1, 4)) gate.leave(line, bareEntrant);
    expect(gate.takeOpened()).toBe(own);
    expect(gate.takeOpened()).toBeUndefined();
  });

  it('is forgotten when no message goes to it anymore', () => {
    const gate = new FairGate('origin', { attempts: 8, places: 16, bytes: 1 }, () => 0);
    const lineOf = (origin: string) => lineAt(gate, origin);
    const first = lineOf('first');
    const busy = lineOf('busy');
    gate.enter(busy, bareEntrant);
    for (let count = 0; count < 5000; count += 1) lineOf(`${count}`);
    expect(lineOf('first')).not.toBe(first);
    expect(lineOf('busy')).toBe(busy);
  });
});

describe('one of many domains', () => {
  /** Origins of one domain, each with this many attempts. */
  function hang(traffic: GatedTraffic, origins: number, attempts: number): void {
    for (let index = 0; index < origins; index += 1) {
      askMany(traffic, `shop-${index}.platform`, attempts);
    }
  }

  const running = (traffic: GatedTraffic, domain: string) =>
    traffic.running.filter((attempt) => attempt.domain === domain).length;

  it('never takes over half of the places, however many of its origins hang', () => {
    const traffic = new GatedTraffic(shipped);
    hang(traffic, 2000, 2);
    expect(running(traffic, 'platform')).toBe(438);
    askMany(traffic, 'good.elsewhere', 100);
    askMany(traffic, 'good', 100);
    expect(traffic.runningTo('good.elsewhere')).toBe(55);
    expect(traffic.runningTo('good')).toBe(48);
  });

  it('leaves room for the next, when three of them hang', () => {
    const traffic = new GatedTraffic(shipped);
    for (const domain of ['one', 'two', 'three']) {
      for (let index = 0; index < 1000; index += 1) traffic.ask(`shop-${index}.${domain}`);
    }
    const shares = ['one', 'two', 'three'].map((domain) => running(traffic, domain));
    expect(shares).toEqual([438, 219, 109]);
    askMany(traffic, 'good.elsewhere', 100);
    expect(running(traffic, 'elsewhere')).toBe(14);
  });

  it('regains its share when another has ended, and starts its oldest attempts first', () => {
    const traffic = new GatedTraffic(shipped);
    hang(traffic, 600, 1);
    for (let index = 0; index < 400; index += 1) traffic.ask(`${index}.patient`);
    const before = running(traffic, 'patient');
    for (const attempt of [...traffic.running, ...traffic.waiting]) {
      if (attempt.domain === 'platform') traffic.leave(attempt);
    }
    expect([before, running(traffic, 'patient')]).toEqual([219, 400]);
    const started = traffic.started.filter(({ domain }) => domain === 'patient');
    expect(started.map(({ origin }) => origin)).toEqual(
      Array.from({ length: 400 }, (_, index) => `${index}.patient`),
    );
  });

  it('needs only a few tries per leaving attempt, however many wait for it', () => {
    const traffic = new GatedTraffic(shipped);
    hang(traffic, 500, 100);
    const leaves = 300;
    traffic.tries = 0;
    for (let count = 0; count < leaves; count += 1) traffic.leave(traffic.running[0]!);
    expect(traffic.tries / leaves).toBeLessThan(20);
  });
});

/** Every entrant has an origin, so it has a line. */
const lineAt = (gate: FairGate, origin: string) => gate.lineOf({ ...bareEntrant, origin })!;

const bareEntrant = {
  messageId: 'msg_1',
  queueName: null,
  flowControlKey: null,
  origin: 'a',
  domain: null,
  bodyBytes: 0,
  admitted: () => undefined,
};
