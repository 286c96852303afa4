import fc from 'fast-check';
import type { Effect } from '../../src/engine/decider.js';
import { EffectRunner, type RestingKind } from '../../src/engine/effect-runner.js';
import { ManualClock } from '../support/manual-clock.js';

const start = 1_767_000_000_000;
const kinds = ['message', 'schedule'] as const;
type Kind = (typeof kinds)[number];

/** Streams that never rest. */
const noRest: RestingKind = {
  rest: () => false,
  nextDue: () => Number.POSITIVE_INFINITY,
  takeDue: () => undefined,
};

/** Streams whose effects the test sets, and the effects that run because of them. */
class Streams {
  readonly clock = new ManualClock(start);
  /** The running effects, and those ever started, as `<kind> <stream> <effect>`. */
  readonly running = new Set<string>();
  readonly started: string[] = [];
  readonly runner: EffectRunner;
  /** How often a stream was asked because an alarm rang. */
  rings = 0;
  private firstOffset = 0;
  private readonly effects = new Map<string, readonly Effect[]>();

  constructor() {
    this.runner = new EffectRunner(
      this.clock,
      () => noRest,
      (kind, id) => {
        this.rings += 1;
        this.reconcile(kind as Kind, id);
      },
    );
    this.runner.carry('work', {
      start: ({ kind, id }, effect) => {
        const name = `${kind} ${id} ${effect.id}`;
        this.started.push(name);
        this.running.add(name);
        return () => this.running.delete(name);
      },
    });
  }

  /** From now on the stream wants these effects: their ids, and how long after the start. */
  wants(kind: Kind, id: string, delays: Readonly<Record<string, number>>): void {
    const effects = Object.entries(delays).map(([effectId, delay]) => ({
      kind: 'work',
      id: effectId,
      notBefore: start + delay,
    }));
    this.effects.set(`${kind} ${id}`, effects);
    this.reconcile(kind, id);
  }

  /** The stream ends, and another one begins under its id, before either is asked. */
  beginsAnew(kind: Kind, id: string): void {
    this.firstOffset += 1;
    this.reconcile(kind, id);
  }

  private reconcile(kind: Kind, id: string): void {
    const source = { kind, id, firstOffset: this.firstOffset, lastOffset: this.firstOffset };
    this.runner.reconcile(source, this.effects.get(`${kind} ${id}`) ?? []);
  }
}

describe('an effect', () => {
  it('is not confused with that of an earlier stream of the same name', () => {
    const streams = new Streams();
    streams.wants('message', 'a', { call: 0 });
    streams.beginsAnew('message', 'a');
    expect(streams.started).toEqual(['message a call', 'message a call']);
    expect([...streams.running]).toEqual(['message a call']);
  });

  it('that may start at once starts, and only once', () => {
    const streams = new Streams();
    streams.wants('message', 'a', { call: 0 });
    streams.wants('message', 'a', { call: 0 });
    expect(streams.started).toEqual(['message a call']);
    expect(streams.clock.armed).toBe(0);
  });

  it('starts when its time has come', () => {
    const streams = new Streams();
    streams.wants('message', 'a', { call: 100 });
    streams.clock.advance(99);
    expect(streams.started).toEqual([]);
    streams.clock.advance(1);
    expect(streams.started).toEqual(['message a call']);
  });

  it('that is wanted at another time starts at that time', () => {
    const streams = new Streams();
    streams.wants('message', 'later', { call: 100 });
    streams.wants('message', 'later', { call: 200 });
    streams.wants('message', 'sooner', { call: 200 });
    streams.wants('message', 'sooner', { call: 50 });
    streams.clock.advance(100);
    expect(streams.started).toEqual(['message sooner call']);
    streams.clock.advance(100);
    expect(streams.started).toEqual(['message sooner call', 'message later call']);
  });

  it('that is running continues if it is then wanted at a later time', () => {
    const streams = new Streams();
    streams.wants('message', 'a', { call: 0 });
    streams.wants('message', 'a', { call: 100 });
    expect([...streams.running]).toEqual(['message a call']);
    streams.clock.advance(100);
    expect(streams.started).toHaveLength(1);
  });

  it('that is no longer wanted does not start, and its stream is not asked', () => {
    const streams = new Streams();
    streams.wants('message', 'a', { call: 100 });
    streams.wants('message', 'a', {});
    streams.clock.advance(100);
    expect([streams.started, streams.rings]).toEqual([[], 0]);
  });

  it('that is running stops when it is no longer wanted, while another one waits', () => {
    const streams = new Streams();
    streams.wants('message', 'a', { first: 0, second: 100 });
    streams.wants('message', 'a', { second: 100 });
    expect([...streams.running]).toEqual([]);
    streams.clock.advance(100);
    expect([...streams.running]).toEqual(['message a second']);
  });

  it('shares one alarm with the others of its stream, and each starts at its time', () => {
    const streams = new Streams();
    streams.wants('message', 'a', { now: 0, third: 300, first: 100, second: 200, too: 200 });
    streams.clock.advance(150);
    expect(streams.started).toEqual(['message a now', 'message a first']);
    streams.clock.advance(150);
    expect(streams.started.slice(2)).toEqual([
      'message a second',
      'message a too',
      'message a third',
    ]);
    expect(streams.rings).toBe(3);
  });

  it('is independent of the same stream of another kind', () => {
    const streams = new Streams();
    streams.wants('message', 'a', { work: 100 });
    streams.wants('schedule', 'a', { work: 200 });
    streams.wants('message', 'a', {});
    streams.clock.advance(200);
    expect(streams.started).toEqual(['schedule a work']);
  });

  it('without a carrier is a defect', () => {
    const { runner } = new Streams();
    const source = { kind: 'message', id: 'a', firstOffset: 0, lastOffset: 0 };
    for (const notBefore of [0, start + 1000]) {
      const effect = { kind: 'unheard of', id: 'x', notBefore };
      expect(() => runner.reconcile(source, [effect])).toThrow(
        'no carrier is registered for unheard of',
      );
    }
  });
});

describe('an effect runner that was stopped', () => {
  it('starts nothing and leaves running effects alone', () => {
    const streams = new Streams();
    streams.wants('message', 'a', { call: 0 });
    streams.wants('message', 'b', { call: 100 });
    streams.runner.stop();
    streams.wants('message', 'a', {});
    streams.wants('message', 'c', { call: 0 });
    streams.clock.advance(1000);
    expect([...streams.running]).toEqual(['message a call']);
  });
});

describe('the running effects', () => {
  const anyDelays = fc.dictionary(
    fc.constantFrom('x', 'y', 'z'),
    fc.integer({ min: 0, max: 1000 }),
  );
  const anyStep = fc.oneof(
    fc.record({
      kind: fc.constantFrom(...kinds),
      id: fc.constantFrom('a', 'b'),
      delays: anyDelays,
    }),
    fc.record({ passes: fc.integer({ min: 0, max: 300 }) }),
  );

  it('are those that are wanted and may have started, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
        const streams = new Streams();
        let time = 0;
        /** The effects that each stream wants, and whether they run. */
        const expected = new Map<string, Map<string, { delay: number; runs: boolean }>>();
        for (const step of steps) {
          if ('passes' in step) {
            streams.clock.advance(step.passes);
            time += step.passes;
          } else {
            const { kind, id, delays } = step;
            streams.wants(kind, id, delays);
            const before = expected.get(`${kind} ${id}`);
            const wanted = Object.entries(delays).map(
              ([effect, delay]) =>
                [effect, { delay, runs: before?.get(effect)?.runs ?? false }] as const,
            );
            expected.set(`${kind} ${id}`, new Map(wanted));
          }
          const names: string[] = [];
          for (const [stream, effects] of expected) {
            for (const [name, effect] of effects) {
              effect.runs ||= effect.delay <= time;
              if (effect.runs) names.push(`${stream} ${name}`);
            }
          }
          expect([...streams.running].sort()).toEqual(names.sort());
        }
      }),
      { numRuns: 500 },
    );
  });
});
