// Each of jest's own comparisons would cost more than the action before it.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { RestingPage } from '../../../src/engine/resting/resting-page.js';
import type { RestingStream } from '../../../src/engine/resting/resting-stream.js';
import { RestingStreams } from '../../../src/engine/resting/resting-streams.js';
import type { StreamsCut } from '../../../src/engine/resting/streams-cut.js';

const anyId = fc.oneof(fc.nat(300).map(String), fc.string({ unit: 'grapheme', maxLength: 3 }));
const anyTime = fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat(50));
const anyAction = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('add' as const),
      id: anyId,
      wantedAt: anyTime,
      state: fc.string({ maxLength: 40 }),
      length: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 2 ** 40 })),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('take' as const), id: anyId }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('due' as const), now: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.constant({ type: 'restore' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'cut' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'store' as const }) },
);

/** A stream whose bytes are a text that stays valid. */
const kept = ({ bytes, ...stream }: RestingStream) => ({ ...stream, state: bytes.toString() });
type Kept = ReturnType<typeof kept>;

/** The model of it: a map and a list. */
class Model {
  readonly streams = new Map<string, Kept>();
  readonly alarms = new Set<string>();

  due(now: number): string[] {
    const alarmed = [...this.alarms].flatMap((id) => this.streams.get(id) ?? []);
    const times = alarmed.map(({ wantedAt }) => wantedAt);
    const first = Math.min(...times);
    const firsts = first > now ? [] : alarmed.filter(({ wantedAt }) => wantedAt === first);
    const began = Math.min(...firsts.map(({ firstOffset }) => firstOffset));
    return firsts.filter(({ firstOffset }) => firstOffset === began).map(({ id }) => id);
  }
}

function restored(cut: StreamsCut): RestingStreams {
  const other = new RestingStreams(5);
  for (const part of cut.parts()) other.restore(part);
  return other;
}

const heldBy = (streams: RestingStreams) =>
  new Map([...streams.all()].map(kept).map((each) => [each.id, each]));

describe('streams that rest', () => {
  it('are found, taken, due and stored as a map would have them', () => {
    fc.assert(
      fc.property(
        fc.array(anyAction, { maxLength: 400, size: 'max' }),
        fc.nat(),
        (actions, seed) => {
          let streams = new RestingStreams(seed);
          const model = new Model();
          let cut: { readonly cut: StreamsCut; readonly held: Map<string, Kept> } | null = null;
          for (const action of actions) {
            if (action.type === 'add' && !model.streams.has(action.id)) {
              const { id, wantedAt, state, length } = action;
              const stream = { id, wantedAt, length, firstOffset: length, lastOffset: length + 1 };
              streams.add({ ...stream, bytes: Buffer.from(state) }, wantedAt < 40);
              model.streams.set(id, { ...stream, state });
              if (wantedAt < 40) model.alarms.add(id);
            } else if (action.type === 'take') {
              deepStrictEqual(streams.take(action.id, kept), model.streams.get(action.id));
              model.streams.delete(action.id);
              model.alarms.delete(action.id);
            } else if (action.type === 'due') {
              const due = model.due(action.now);
              const id = streams.takeDue(action.now);
              ok(id === undefined ? due.length === 0 : due.includes(id));
              if (id !== undefined) model.alarms.delete(id);
            } else if (action.type === 'restore') {
              streams = restored(streams.cut());
              cut = null;
              model.alarms.clear();
              for (const { id, wantedAt } of model.streams.values()) {
                if (wantedAt < Number.POSITIVE_INFINITY) model.alarms.add(id);
              }
            }
            if (action.type === 'cut') {
              cut = { cut: streams.cut(), held: new Map(model.streams) };
            } else if (action.type === 'store' && cut !== null) {
              deepStrictEqual(heldBy(restored(cut.cut)), cut.held);
              cut = null;
            }
            strictEqual(streams.size, model.streams.size);
          }
          deepStrictEqual(heldBy(streams), model.streams);
          deepStrictEqual([...streams.ids()].sort(), [...model.streams.keys()].sort());
          for (const [id, { firstOffset }] of model.streams) {
            strictEqual(streams.firstOffsetOf(id), firstOffset);
            deepStrictEqual(streams.read(id, kept), model.streams.get(id));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are returned one after another, the earliest first', () => {
    let streams = new RestingStreams(1);
    const times = Array.from({ length: 3000 }, (_, number) => (number * 7919) % 3000);
    for (const wantedAt of times) {
      const offsets = { length: 1, firstOffset: wantedAt, lastOffset: wantedAt };
      streams.add({ id: `msg_${wantedAt}`, wantedAt, ...offsets, bytes: Buffer.alloc(9) }, true);
    }
    for (let number = 0; number < 3000; number += 1) {
      if (number === 1000) streams = restored(streams.cut());
      const next = number < 1000 ? number : number - 1000;
      strictEqual(streams.nextAlarm(), next);
      strictEqual(streams.takeDue(next - 1), undefined);
      strictEqual(streams.takeDue(next), `msg_${next}`);
    }
  });

  describe('in many pages', () => {
    /** Some with more bytes than a page, many with few. */
    function many(count: number): { streams: RestingStreams; held: Map<string, Kept> } {
      const streams = new RestingStreams(1);
      const held = new Map<string, Kept>();
      for (let number = 0; number < count; number += 1) {
        const id = `msg_${number}`;
        const state = `${number} `.repeat(number % 5000 === 0 ? 300_000 : 3);
        const offsets = { length: 1, firstOffset: number, lastOffset: number };
        const stream = { id, wantedAt: (number * 7919) % count, ...offsets };
        streams.add({ ...stream, bytes: Buffer.from(state) }, true);
        held.set(id, { ...stream, state });
      }
      return { streams, held };
    }

    it('are stored as they were while others are taken, added and moved', () => {
      const { streams, held } = many(20_000);
      const cut = streams.cut();
      const ids = [...held.keys()];
      for (const [number, id] of ids.entries()) {
        if (number % 3 > 0) deepStrictEqual(streams.take(id, kept), held.get(id));
      }
      for (const [number, id] of ids.entries()) {
        const stream = held.get(id);
        if (number % 3 !== 1 || stream === undefined) continue;
        streams.add({ ...stream, wantedAt: 1, bytes: Buffer.from('again') }, true);
      }
      const before = restored(cut);
      deepStrictEqual(heldBy(before), held);
      for (const id of ids.slice(0, 100)) deepStrictEqual(before.take(id, kept), held.get(id));
      for (const [number, id] of ids.entries()) {
        const now = streams.read(id, kept);
        if (number % 3 === 0) deepStrictEqual(now, held.get(id));
        else strictEqual(now?.state, number % 3 === 1 ? 'again' : undefined);
      }
      strictEqual(streams.size, [...streams.all()].length);
    });

    it('leave a page of few large ones once half of it is empty', () => {
      const page = new RestingPage();
      for (let number = 0; number < 10; number += 1) {
        const stream = { id: String(number), length: 1, firstOffset: number, lastOffset: number };
        page.add({ ...stream, wantedAt: 1, bytes: Buffer.alloc(100_000) }, number, true);
      }
      for (let row = 0; row < 5; row += 1) page.remove(row);
      strictEqual(page.isSparse, false);
      page.remove(5);
      strictEqual(page.isSparse, true);
    });

    it('are iterated over, if they stay, while others are taken', () => {
      const { streams, held } = many(20_000);
      const ids = [...held.keys()];
      const taken = new Set(ids.filter((_, number) => number % 5 !== 0));
      const passed = new Set<string>();
      for (const id of streams.ids()) {
        passed.add(id);
        if (taken.has(id)) streams.take(id, () => undefined);
      }
      deepStrictEqual(
        ids.filter((id) => !taken.has(id) && !passed.has(id)),
        [],
      );
      strictEqual(streams.size, ids.length - taken.size);
    });
  });
});
