import fc from 'fast-check';
import { CountingGate } from '../../../src/messaging/gates/counting-gate.js';
import { type Admission, type Entrant, Line } from '../../../src/messaging/gates/gate.js';
import { Gates } from '../../../src/messaging/gates/gates.js';
import {
  empty,
  GatedTraffic,
  steps,
  stepsInDomains,
  type TrafficLimits,
  take,
} from './gated-traffic.js';

const small: TrafficLimits = { attempts: 2, places: 4, bytes: 70, totalBytes: 100 };

const limits: fc.Arbitrary<TrafficLimits> = fc.record({
  attempts: fc.integer({ min: 1, max: 8 }),
  places: fc.integer({ min: 1, max: 12 }),
  bytes: fc.constantFrom(30, 70),
  totalBytes: fc.constant(100),
});

/** Describes each broken limit: comparing one list costs less than comparing many numbers. */
function brokenLimits({ running, joined }: GatedTraffic, limits: TrafficLimits): string[] {
  const broken = bytesBroken('all', running, limits.totalBytes);
  if (joined.running !== running.length) broken.push(`${joined.running} are said to run`);
  if (running.length > limits.places) broken.push(`${running.length} run`);
  for (const origin of new Set(running.map((attempt) => attempt.origin))) {
    const own = running.filter((attempt) => attempt.origin === origin);
    if (own.length > limits.attempts) broken.push(`${own.length} run at ${origin}`);
    broken.push(...bytesBroken(origin, own, limits.bytes));
  }
  for (const domain of ['x', 'y']) {
    const own = running.filter((attempt) => attempt.domain === domain);
    if (own.length > Math.ceil(limits.places / 2)) broken.push(`${own.length} run in ${domain}`);
    broken.push(...bytesBroken(domain, own, limits.bytes));
  }
  return broken;
}

/** A body above the limit may pass alone. */
function bytesBroken(
  whose: string,
  running: readonly { bodyBytes: number }[],
  limit: number,
): string[] {
  const bodies = running.map(({ bodyBytes }) => bodyBytes).filter((bytes) => bytes > 0);
  const sum = bodies.reduce((total, bytes) => total + bytes, 0);
  return bodies.length > 1 && sum > limit ? [`bodies of ${whose} have ${sum} bytes`] : [];
}

/**
 * Attempts that wait although no gate lacks room for them and no earlier attempt stands before them
 * in their line.
 */
function waitingInVain({ gates, waiting }: GatedTraffic) {
  return waiting.filter((attempt) => {
    const reasons = gates.filter((gate) => {
      const line = gate.lineOf(attempt);
      const isBehind = waiting.some(
        ({ admission }) => admission?.line === line && admission.ticket < attempt.admission!.ticket,
      );
      return line !== null && (isBehind || !gate.isOpen(line, attempt));
    });
    const delegate = attempt.admission?.line?.delegate ?? null;
    const isStoodFor = delegate !== null && delegate.ticket < attempt.admission!.ticket;
    return reasons.length === 0 && !isStoodFor;
  });
}

/** Attempts that wait for one of the places of all attempts although one is free. */
function waitingForFree({ running, waiting }: GatedTraffic, { places }: TrafficLimits) {
  if (running.length >= places) return [];
  return waiting.filter(({ admission }) => admission?.line?.gate.name === 'attempts');
}

/**
 * Attempts whose line waits for an attempt whose line waits for another one, in an endless circle.
 */
function waitingForThemselves({ gates, waiting }: GatedTraffic) {
  return waiting.filter(({ admission }) => {
    const seen = new Set<Line>();
    let line = admission?.line ?? null;
    while (line !== null && !seen.has(line)) {
      seen.add(line);
      line = line.delegate?.line ?? null;
    }
    return line !== null || seen.size > gates.length;
  });
}

describe('the gates', () => {
  it.each([
    ['origins alone', steps],
    ['origins in domains', stepsInDomains],
  ])('respect every limit, lose no attempt, and let none wait in vain: %s', (_name, steps) => {
    fc.assert(
      fc.property(limits, steps, (limits, list) => {
        const traffic = new GatedTraffic(limits);
        for (const step of list) {
          take(traffic, step);
          const { joined, waiting } = traffic;
          const wrong = [
            ...waitingInVain(traffic),
            ...waitingForFree(traffic, limits),
            ...waitingForThemselves(traffic),
          ].map(({ origin }) => `one to ${origin} waits`);
          const broken = [...brokenLimits(traffic, limits), ...wrong];
          expect([broken, joined.waiting]).toEqual([[], waiting.length]);
        }
        empty(traffic);
        expect(traffic.waiting).toHaveLength(0);
        expect(traffic.joined.running + traffic.joined.waiting).toBe(0);
        const withBody = { ...bareEntrant, domain: 'example', bodyBytes: 1 };
        for (const gate of traffic.gates) expect(gate.lineOf(withBody)?.isIdle).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  it('start the attempts of one origin in their order of arrival', () => {
    fc.assert(
      fc.property(limits, fc.oneof(steps, stepsInDomains), (limits, list) => {
        const traffic = new GatedTraffic(limits);
        for (const step of list) {
          take(traffic, step.kind === 'ask' ? { ...step, bytes: 0 } : step);
        }
        empty(traffic);
        const lastOf = new Map<string, number>();
        for (const { origin, admission } of traffic.started) {
          if (admission === null) continue;
          expect(admission.ticket).toBeGreaterThan(lastOf.get(origin) ?? -1);
          lastOf.set(origin, admission.ticket);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('let others pass when one origin is full', () => {
    const traffic = new GatedTraffic(small);
    for (let count = 0; count < 10; count += 1) traffic.ask('slow');
    traffic.ask('other');
    expect(traffic.running.map(({ origin }) => origin)).toEqual(['slow', 'slow', 'other']);
  });

  it('do not let small bodies overtake a large one forever', () => {
    const traffic = new GatedTraffic(small);
    traffic.ask('a', 60);
    const great = traffic.ask('b', 90);
    const little = traffic.ask('c', 1);
    expect(traffic.waiting).toEqual([great, little]);
    traffic.leave(traffic.running[0]!);
    expect(traffic.running).toEqual([great, little]);
  });

  it('let attempts that take nothing of a limit pass all that wait for it', () => {
    const traffic = new GatedTraffic(small);
    traffic.ask('a', 60);
    const great = traffic.ask('b', 90);
    const bodyless = traffic.ask('c', 0);
    expect(traffic.waiting).toEqual([great]);
    expect(traffic.running).toContain(bodyless);
  });

  it('give a small body the place that a large body cannot use yet', () => {
    const traffic = new GatedTraffic(small);
    const [first, second] = ['a', 'b', 'c', 'd'].map((origin, index) =>
      traffic.ask(origin, index < 2 ? 0 : 40),
    );
    const [fitting, great] = ['e', 'f'].map((origin) => traffic.ask(origin, 20));
    const little = traffic.ask('g');
    traffic.leave(first!);
    traffic.leave(second!);
    expect(traffic.waiting).toEqual([great]);
    expect(traffic.running).toContain(fitting);
    expect(traffic.running).toContain(little);
  });

  it('never let two attempts wait for each other', () => {
    const traffic = new GatedTraffic(small);
    const [first, second] = ['a', 'b'].map((origin) => traffic.ask(origin));
    const [, third] = [70, 5].map((bytes) => traffic.ask(`of ${bytes}`, bytes));
    for (const [index, bytes] of [25, 0].entries()) traffic.ask(`next ${index}`, bytes);
    const early = traffic.ask('early', 25);
    traffic.leave(first!);
    const late = traffic.ask('late', 5);
    traffic.leave(third!);
    traffic.leave(second!);
    expect(traffic.waiting).toEqual([early, late]);
    expect(waitingForThemselves(traffic)).toEqual([]);
    const waits = [early, late].map(({ admission }) => traffic.joined.waitOf(admission!));
    expect(waits.map((wait) => wait?.obstacle.gate)).toEqual(['bodyBytes', 'bodyBytes']);
  });

  it('let a body above the whole budget pass alone', () => {
    const traffic = new GatedTraffic(small);
    const little = traffic.ask('a', 1);
    const huge = traffic.ask('b', 1000);
    expect(traffic.waiting).toEqual([huge]);
    traffic.leave(little);
    expect(traffic.running).toEqual([huge]);
  });

  it('try the next attempt of a line when the one ahead of it has passed', () => {
    const traffic = new GatedTraffic(small);
    const other = traffic.ask('b', 60);
    const first = traffic.ask('a', 40);
    const second = traffic.ask('a', 0);
    const great = traffic.ask('a', 60);
    const little = traffic.ask('a', 0);
    traffic.leave(first);
    traffic.leave(second);
    expect(traffic.waiting).toEqual([great, little]);
    traffic.leave(other);
    expect(traffic.running).toEqual([great, little]);
  });

  it('count an attempt that leaves twice only once', () => {
    const traffic = new GatedTraffic(small);
    const first = traffic.ask('a');
    traffic.leave(first);
    traffic.leave(first);
    expect(traffic.joined.running).toBe(0);
    for (let count = 0; count < 5; count += 1) traffic.ask('a');
    expect(traffic.running).toHaveLength(2);
  });

  it('admit none once they are closed, whatever leaves', () => {
    const traffic = new GatedTraffic(small);
    const attempts = ['a', 'a', 'a', 'b', 'b', 'b'].map((origin) => traffic.ask(origin));
    const inside = traffic.running;
    expect(traffic.waiting.length).toBeGreaterThan(0);
    traffic.joined.close();
    const late = traffic.ask('c');
    traffic.tries = 0;
    for (const attempt of inside) traffic.leave(attempt);
    expect([traffic.running, traffic.joined.running, traffic.tries]).toEqual([[], 0, 0]);
    for (const attempt of [...attempts, late]) traffic.leave(attempt);
    expect([traffic.started.length, traffic.joined.waiting]).toEqual([inside.length, 0]);
  });

  it('try only a few waiting attempts for each that leaves, however many wait', () => {
    const traffic = new GatedTraffic({ ...small, attempts: 8, places: 16 });
    for (let count = 0; count < 8; count += 1) traffic.ask('busy');
    for (let count = 0; count < 8; count += 1) traffic.ask(`early ${count}`);
    for (let count = 0; count < 2000; count += 1) traffic.ask('busy');
    for (let count = 0; count < 2000; count += 1) traffic.ask(`late ${count}`);
    traffic.tries = 0;
    for (let round = 0; round < 900; round += 1) {
      const isBusy = round % 3 === 0;
      const found = traffic.running.find(({ origin }) => (origin === 'busy') === isBusy);
      traffic.leave(found ?? traffic.running[0]!);
    }
    expect(traffic.tries / 900).toBeLessThan(20);
  });

  it('keep nothing of attempts that gave up behind a waiting one', () => {
    const traffic = new GatedTraffic({ ...small, attempts: 1 });
    traffic.ask('a');
    traffic.ask('a');
    for (let count = 0; count < 110_000; count += 1) {
      const admission = traffic.joined.admit({ ...bareEntrant, origin: 'a' });
      traffic.joined.leave(admission);
    }
    const last = traffic.joined.admit({ ...bareEntrant, origin: 'a' });
    expect(traffic.joined.waitOf(last)?.ahead).toBe(1);
  });

  it('admit the attempts of a line in the order of their ranks', () => {
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
    const joined = new Gates();
    joined.add(new Ranked('attempts', 1));
    const passed: string[] = [];
    const ask = (messageId: string): Admission =>
      joined.admit({ ...bareEntrant, messageId, admitted: () => void passed.push(messageId) });
    const first = ask('first');
    const waiting = ['late', 'middle', 'early'].map(ask);
    joined.leave(first);
    for (const admission of [...waiting].reverse()) joined.leave(admission);
    expect(passed).toEqual(['first', 'early', 'middle', 'late']);
  });
});

const bareEntrant: Entrant = {
  messageId: 'msg_1',
  queueName: null,
  flowControlKey: null,
  origin: 'a',
  domain: null,
  bodyBytes: 0,
  admitted() {
    throw new Error('nobody asked');
  },
};
