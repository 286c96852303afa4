import fc from 'fast-check';
import { flowControlKind } from '../../../src/messaging/flow-control/flow-control.commands.js';
import { messageKind } from '../../../src/messaging/messages/message.events.js';
import { type CrashPolicy, crashPolicies, SimulatedDisk } from '../../simulation/simulated-disk.js';
import { settle } from '../../storage/simulated-store.js';
import { type Limits, type Start, TrafficSimulation } from './traffic-simulation.js';

const minute = 60_000;
const parallel = (parallelism: number): Limits => ({ parallelism, rate: null, periodSeconds: 1 });
const perMinute = (rate: number): Limits => ({ parallelism: null, rate, periodSeconds: 60 });

async function publishMany(traffic: TrafficSimulation, count: number, key: string, limits: Limits) {
  for (let index = 0; index < count; index += 1) traffic.publish(key, limits);
  await settle();
}

async function endAll(traffic: TrafficSimulation, status = 200): Promise<void> {
  for (const start of [...traffic.running]) start.end(status);
  await settle();
}

const asked = (traffic: TrafficSimulation, type: string, key: string, more: object = {}) => {
  traffic.ask({ type, kind: flowControlKind, id: key, ...more });
  return settle();
};

describe('parallelism', () => {
  it('admits as many attempts as the key allows, and the next when one ends', async () => {
    const traffic = await TrafficSimulation.start();
    await publishMany(traffic, 5, 'k', parallel(2));
    expect(traffic.runningUnder('k')).toBe(2);
    expect(traffic.gate.look('k')).toEqual({ waiting: 3, running: 2, spent: 0 });
    traffic.running[0]?.end(200);
    await settle();
    expect(traffic.runningUnder('k')).toBe(2);
    expect(traffic.startsUnder('k')).toBe(3);
  });

  it('starts another message during the delay of a retry', async () => {
    const traffic = await TrafficSimulation.start();
    await publishMany(traffic, 2, 'k', parallel(1));
    traffic.running[0]?.end(500);
    await settle();
    expect(traffic.running.map(({ attempt }) => attempt)).toEqual([0]);
    await traffic.pass(1000);
    expect(traffic.gate.look('k')).toMatchObject({ waiting: 1, running: 1 });
    await endAll(traffic);
    expect(traffic.running.map(({ attempt }) => attempt)).toEqual([1]);
  });

  it('starts waiting messages as soon as it is raised', async () => {
    const traffic = await TrafficSimulation.start();
    await publishMany(traffic, 5, 'k', parallel(1));
    await publishMany(traffic, 1, 'k', parallel(3));
    expect(traffic.runningUnder('k')).toBe(3);
    const pin = { parallelism: 5, rate: null, periodSeconds: null };
    await asked(traffic, 'PinFlowControl', 'k', pin);
    expect(traffic.runningUnder('k')).toBe(5);
    await publishMany(traffic, 1, 'k', parallel(1));
    expect(traffic.controlOf('k')?.parallelism).toBe(5);
  });

  it('after it was lowered, starts no message until enough have ended', async () => {
    const traffic = await TrafficSimulation.start();
    await publishMany(traffic, 3, 'k', parallel(3));
    await publishMany(traffic, 1, 'k', parallel(1));
    for (const expected of [2, 1, 1]) {
      traffic.running[0]?.end(200);
      await settle();
      expect(traffic.runningUnder('k')).toBe(expected);
    }
  });
});

describe('a rate', () => {
  it('limits the starts in a window, and admits the next when the window ends', async () => {
    const traffic = await TrafficSimulation.start();
    await publishMany(traffic, 7, 'k', perMinute(3));
    expect(traffic.gate.look('k')).toEqual({ waiting: 4, running: 3, spent: 3 });
    await endAll(traffic);
    await traffic.pass(minute - 1);
    expect(traffic.startsUnder('k')).toBe(3);
    await traffic.pass(1);
    expect(traffic.startsUnder('k')).toBe(6);
    await traffic.pass(minute);
    expect(traffic.startsUnder('k')).toBe(7);
  });

  it('opens its window with the first start, not at full periods of the clock', async () => {
    const traffic = await TrafficSimulation.start();
    await traffic.pass(45_000);
    await publishMany(traffic, 2, 'k', perMinute(1));
    await traffic.pass(minute - 1);
    expect(traffic.startsUnder('k')).toBe(1);
    await traffic.pass(1);
    expect(traffic.startsUnder('k')).toBe(2);
  });

  it('counts retries', async () => {
    const traffic = await TrafficSimulation.start();
    await publishMany(traffic, 1, 'k', perMinute(1));
    await endAll(traffic, 500);
    await traffic.pass(minute - 1);
    expect(traffic.startsUnder('k')).toBe(1);
    await traffic.pass(1);
    expect(traffic.started.map(({ attempt }) => attempt)).toEqual([0, 1]);
  });

  it('counts starts made before a crash', async () => {
    let traffic = await TrafficSimulation.start();
    await publishMany(traffic, 5, 'k', perMinute(3));
    traffic.running[0]?.end(200);
    await settle();
    traffic = await traffic.crash('nothing', 1);
    expect(traffic.runningUnder('k')).toBe(0);
    expect(traffic.gate.look('k').spent).toBe(3);
    await traffic.pass(minute);
    expect(traffic.runningUnder('k')).toBe(3);
  });

  it('applies at once to an open window when it changes', async () => {
    const traffic = await TrafficSimulation.start();
    await publishMany(traffic, 4, 'k', perMinute(1));
    await publishMany(traffic, 1, 'k', perMinute(3));
    expect(traffic.startsUnder('k')).toBe(3);
    await publishMany(traffic, 1, 'k', { parallelism: null, rate: 3, periodSeconds: 10 });
    await traffic.pass(10_000);
    expect(traffic.startsUnder('k')).toBe(6);
  });

  it('holds messages back beyond a lowered rate, whatever was reserved before', async () => {
    const traffic = await TrafficSimulation.start();
    await publishMany(traffic, 1, 'k', perMinute(160));
    await publishMany(traffic, 5, 'k', perMinute(3));
    expect(traffic.controlOf('k')?.window.reserved).toBe(10);
    expect(traffic.startsUnder('k')).toBe(3);
    await traffic.pass(minute);
    expect(traffic.startsUnder('k')).toBe(6);
  });

  it('counts from zero after a reset', async () => {
    const traffic = await TrafficSimulation.start();
    await publishMany(traffic, 4, 'k', perMinute(2));
    await asked(traffic, 'ResetRate', 'k');
    expect(traffic.startsUnder('k')).toBe(4);
    expect(traffic.gate.look('k').spent).toBe(2);
  });

  it('is not spent by a message that another limit holds back', async () => {
    const traffic = await TrafficSimulation.start({ globalParallelism: 1 });
    await publishMany(traffic, 3, 'k', perMinute(3));
    expect(traffic.gate.look('k').spent).toBe(1);
    await endAll(traffic);
    await endAll(traffic);
    expect(traffic.startsUnder('k')).toBe(3);
  });

  it('does not stall when the clock was set back', async () => {
    const traffic = await TrafficSimulation.start();
    await publishMany(traffic, 2, 'k', perMinute(1));
    traffic.clock.set(traffic.clock.now() - 86_400_000);
    await traffic.pass(2 * 3_600_000);
    expect(traffic.startsUnder('k')).toBe(2);
  });

  it('continues if storing grants takes longer than their window lasts', async () => {
    const disk = new SimulatedDisk();
    const traffic = await TrafficSimulation.start({}, disk);
    let [syncs, startedSlowly] = [0, 0];
    disk.afterChange = () => {
      if (traffic.commits === syncs || syncs >= 40) return;
      syncs = traffic.commits;
      startedSlowly = traffic.startsUnder('k');
      traffic.clock.advance(1300);
    };
    await publishMany(traffic, 7, 'k', { parallelism: null, rate: 2, periodSeconds: 1 });
    for (let round = 0; round < 20; round += 1) await traffic.pass(500);
    expect(startedSlowly).toBeGreaterThanOrEqual(5);
    expect(traffic.startsUnder('k')).toBe(7);
    const starts = traffic.started.map(({ at }) => at);
    const third = starts.slice(2).map((at, index) => at - (starts[index] ?? 0));
    expect(Math.min(...third)).toBeGreaterThanOrEqual(1000);
  });

  it('needs few commits for a thousand keys whose windows begin together', async () => {
    const traffic = await TrafficSimulation.start({ globalParallelism: 5000 });
    for (let key = 0; key < 1000; key += 1) {
      traffic.publish(`k${key}`, perMinute(1));
      traffic.publish(`k${key}`, perMinute(1));
    }
    await settle();
    await traffic.pass(minute - 1);
    expect(traffic.started).toHaveLength(1000);
    const commits = traffic.commits;
    await traffic.pass(1);
    expect(traffic.started).toHaveLength(2000);
    expect(traffic.commits - commits).toBeLessThan(50);
  });
});

describe('a paused key', () => {
  it('starts no message until it is resumed, and lets other keys pass', async () => {
    const traffic = await TrafficSimulation.start();
    await asked(traffic, 'PinFlowControl', 'k', {
      parallelism: 5,
      rate: null,
      periodSeconds: null,
    });
    await asked(traffic, 'PauseFlowControl', 'k');
    await publishMany(traffic, 2, 'k', parallel(5));
    await publishMany(traffic, 1, 'other', parallel(5));
    await traffic.pass(minute);
    expect(traffic.running.map(({ key }) => key)).toEqual(['other']);
    await asked(traffic, 'ResumeFlowControl', 'k');
    expect(traffic.runningUnder('k')).toBe(2);
  });

  it('stays paused after a restart', async () => {
    let traffic = await TrafficSimulation.start();
    await publishMany(traffic, 1, 'k', parallel(1));
    await asked(traffic, 'PauseFlowControl', 'k');
    traffic = await traffic.crash('everything', 1);
    expect(traffic.running).toEqual([]);
    await asked(traffic, 'ResumeFlowControl', 'k');
    expect(traffic.runningUnder('k')).toBe(1);
  });
});

describe('the backlog of one key', () => {
  it.each([
    ['parallelism', parallel(1)],
    ['rate', perMinute(1)],
  ])('that its %s holds back delays no other key', async (_what, limits) => {
    const traffic = await TrafficSimulation.start({ globalParallelism: 4 });
    await publishMany(traffic, 2000, 'busy', limits);
    await publishMany(traffic, 1, 'calm', limits);
    expect(traffic.runningUnder('calm')).toBe(1);
    await endAll(traffic);
    await publishMany(traffic, 1, 'quiet', parallel(1));
    expect(traffic.runningUnder('quiet')).toBe(1);
  });
});

/** Checks that every start is within the limits of its moment and was in the journal before. */
class Referee {
  readonly violations: string[] = [];
  /** Starts by key and window. */
  private readonly starts = new Map<string, number>();
  private readonly all: Start[] = [];

  readonly onStart = (start: Start, traffic: TrafficSimulation): void => {
    this.all.push(start);
    const control = traffic.controlOf(start.key);
    if (control === null) return;
    const { isPaused, parallelism, rate, periodSeconds, window } = control;
    const rule = (isKept: boolean, name: string) => {
      if (!isKept) this.violations.push(`${name}: ${JSON.stringify({ start, control })}`);
    };
    rule(!isPaused, 'paused');
    rule(traffic.runningUnder(start.key) < (parallelism ?? Infinity), 'parallelism');
    if (rate === null) return;
    rule(Math.abs(start.at - window.startedAt) < periodSeconds * 1000, 'window');
    const name = `${start.key} ${window.ordinal}`;
    const count = (this.starts.get(name) ?? 0) + 1;
    this.starts.set(name, count);
    rule(count <= rate, 'rate');
  };

  /** Whatever a crash lost, it was not the reservation of a start that was made. */
  afterRestart(traffic: TrafficSimulation): void {
    for (const [name, count] of this.starts) {
      const [key = '', ordinal] = name.split(' ');
      const window = traffic.controlOf(key)?.window;
      expect(window?.ordinal ?? 0).toBeGreaterThanOrEqual(Number(ordinal));
      if (window?.ordinal === Number(ordinal))
        expect(window.reserved).toBeGreaterThanOrEqual(count);
    }
  }

  /** The most starts in any period, independent of windows, for a key whose rate never changed. */
  expectSteady(key: string, rate: number, periodMs: number): void {
    const times = this.all.filter((start) => start.key === key).map(({ at }) => at);
    for (const [from, first] of times.entries()) {
      for (const [to, last] of times.entries()) {
        if (to < from) continue;
        const windows = Math.floor((last - first) / periodMs) + 2;
        expect(to - from + 1).toBeLessThanOrEqual(rate * windows);
      }
    }
  }
}

type Step =
  | {
      readonly kind: 'publish';
      readonly key: string;
      readonly limits: Limits;
      readonly delayMs: number;
    }
  | { readonly kind: 'end'; readonly pick: number; readonly status: number }
  | { readonly kind: 'cancel'; readonly pick: number }
  | { readonly kind: 'ask'; readonly key: string; readonly asked: { readonly type: string } }
  | { readonly kind: 'pass'; readonly ms: number }
  | {
      readonly kind: 'crash';
      readonly nth: number;
      readonly policy: CrashPolicy;
      readonly seed: number;
    };

const count = fc.integer({ min: 1, max: 3 });
const maybe = fc.option(count, { nil: null });
/** With a rate of 48, a reservation takes 3 grants, however many messages wait. */
const anyRate = fc.option(fc.constantFrom(1, 2, 3, 48), { nil: null });
const anyKey = fc.constantFrom('a', 'b', 'c');
const steadyRate = 2;
const steady: Limits = { parallelism: null, rate: steadyRate, periodSeconds: 2 };

const publishes = fc
  .record({
    key: anyKey,
    limits: fc.record({ parallelism: maybe, rate: anyRate, periodSeconds: count }),
    delayMs: fc.constantFrom(0, 0, 700),
  })
  .map((publish) => ({ kind: 'publish' as const, ...publish }));
const steadyPublishes = fc
  .constantFrom(0, 0, 700)
  .map((delayMs) => ({ kind: 'publish' as const, key: 'steady', limits: steady, delayMs }));
const asks = fc
  .record({
    key: anyKey,
    asked: fc.oneof(
      fc.constantFrom<{ type: string }>(
        { type: 'PauseFlowControl' },
        { type: 'ResumeFlowControl' },
        { type: 'ResetRate' },
      ),
      fc
        .record({ parallelism: maybe, rate: anyRate, periodSeconds: maybe })
        .map((pin) => ({ type: 'PinFlowControl', ...pin })),
      fc
        .record({ parallelism: fc.boolean(), rate: fc.boolean() })
        .map((unpin) => ({ type: 'UnpinFlowControl', ...unpin })),
    ),
  })
  .map((ask) => ({ kind: 'ask' as const, ...ask }));

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: publishes },
  { weight: 3, arbitrary: steadyPublishes },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      pick: fc.nat(),
      status: fc.constantFrom(200, 200, 500),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat() }) },
  { weight: 3, arbitrary: asks },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(1, 300, 999, 1000, 2500),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('crash' as const),
      nth: fc.integer({ min: 1, max: 8 }),
      policy: fc.constantFrom(...crashPolicies),
      seed: fc.nat(),
    }),
  },
);

/** Steps, each with how far its consequences proceed before the next one. */
const histories = fc.array(fc.tuple(anyStep, fc.integer({ min: 0, max: 6 })), {
  minLength: 1,
  maxLength: 60,
});

async function take(traffic: TrafficSimulation, step: Step): Promise<void> {
  switch (step.kind) {
    case 'publish':
      traffic.publish(step.key, step.limits, step.delayMs);
      return;
    case 'end':
      traffic.running[step.pick % Math.max(1, traffic.running.length)]?.end(step.status);
      return;
    case 'cancel': {
      const ids = [...traffic.engine.actors(messageKind).ids()];
      const id = ids[step.pick % Math.max(1, ids.length)];
      if (id !== undefined) {
        traffic.ask({ type: 'CancelMessage', kind: messageKind, id, terms: [] });
      }
      return;
    }
    case 'ask':
      traffic.ask({ kind: flowControlKind, id: step.key, ...step.asked });
      return;
    case 'pass':
      await traffic.pass(step.ms);
      return;
    case 'crash':
      traffic.crashAt(step.nth, step.policy, step.seed);
      return;
  }
}

/** Once everything is resumed and every attempt answered, time alone ends all messages. */
async function comeToRest(traffic: TrafficSimulation): Promise<void> {
  for (const key of ['a', 'b', 'c']) await asked(traffic, 'ResumeFlowControl', key);
  const isBusy = () => traffic.pending + traffic.running.length > 0;
  for (let round = 0; round < 500 && isBusy(); round += 1) {
    await endAll(traffic);
    await traffic.pass(500);
  }
}

describe('any traffic, with changing limits and power failures', () => {
  it('respects every limit at every start, and nothing gets stuck', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.integer({ min: 1, max: 4 }), async (steps, total) => {
        const referee = new Referee();
        let traffic = await TrafficSimulation.start({
          globalParallelism: total,
          onStart: referee.onStart,
        });
        for (const [step, ticks] of steps) {
          await take(traffic, step);
          for (let tick = 0; tick < ticks; tick += 1) {
            await new Promise((resolve) => setImmediate(resolve));
          }
          if (traffic.isDead) {
            traffic = await traffic.afterDeath();
            referee.afterRestart(traffic);
          }
          expect(traffic.running.length).toBeLessThanOrEqual(total);
          expect([...referee.violations, ...traffic.failures]).toEqual([]);
        }
        traffic.keepPower();
        if (traffic.isDead) traffic = await traffic.afterDeath();
        await comeToRest(traffic);
        expect(traffic.pending).toBe(0);
        expect(traffic.gates.running + traffic.gates.waiting).toBe(0);
        expect([...referee.violations, ...traffic.failures]).toEqual([]);
        referee.expectSteady('steady', steadyRate, 2000);
      }),
      { numRuns: 60 },
    );
  }, 300_000);
});
