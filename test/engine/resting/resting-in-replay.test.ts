/** How streams rest while the journal is replayed, and when they are asked what they want. */

import { JournalClock, systemClock } from '../../../src/engine/clock.js';
import { accept, type Command, type Decider, type Effect } from '../../../src/engine/decider.js';
import { Engine } from '../../../src/engine/engine.js';
import { EventCodec } from '../../../src/engine/event-codec.js';
import { systemIdentifiers } from '../../../src/engine/identifiers.js';
import { resumeEffects } from '../../../src/engine/lifecycle/recovery.js';
import { shippedStreamSizes } from '../../../src/engine/resting/stream-sizes.js';
import { openEngine } from '../../support/engine.js';

/** A bell that rings at one time, the one set last. */
type BellEvent = { type: 'Set'; at: number } | { type: 'Rung' };
interface BellCommand extends Command {
  readonly type: 'Set' | 'Ring';
  readonly ringsAt: number;
}
interface BellState {
  readonly ringsAt: number;
  readonly hasRung: boolean;
}

function bellDecider(restsIdle: boolean): Decider<BellState, BellCommand, BellEvent> {
  return {
    kind: 'bell',
    events: { Set: [], Rung: [] },
    restsIdle,
    initialState: () => ({ ringsAt: 0, hasRung: false }),
    decide: ({ type, ringsAt }) =>
      accept([type === 'Set' ? { type: 'Set', at: ringsAt } : { type: 'Rung' }]),
    evolve: (state, event) =>
      event.type === 'Set' ? { ...state, ringsAt: event.at } : { ...state, hasRung: true },
    wants: ({ ringsAt }): readonly Effect[] => [
      { kind: 'ring', id: `ring at ${ringsAt}`, notBefore: ringsAt },
    ],
    isFinal: ({ hasRung }) => hasRung,
  };
}

const hourMs = 3_600_000;
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** Returns what rang, as `<bell> ring at <time>`. */
function fill(engine: Engine, restsIdle: boolean): string[] {
  const rung: string[] = [];
  engine.register({ decider: bellDecider(restsIdle), view: undefined, folds: [] });
  engine.carry('ring', {
    start: ({ id }, effect) => {
      rung.push(`${id} ${effect.id}`);
      return () => undefined;
    },
  });
  return rung;
}

/** Fewer live states than there are bells, so that most of them rest while they are replayed. */
async function open(restsIdle: boolean, directory?: string) {
  let rung: string[] = [];
  const register = (engine: Engine) => {
    rung = fill(engine, restsIdle);
  };
  const opened = await openEngine(register, directory, {}, undefined, 2);
  return { ...opened, rung };
}

/** An engine whose journal the test replays itself; everything replayed is durable. */
function replayingEngine(restsIdle: boolean): { engine: Engine; rung: string[] } {
  const append = () => {
    throw new Error('nothing is decided here');
  };
  const log = { endOffset: 100, highWatermark: 100, append, flush: () => undefined };
  const watch = { turnFailed: () => undefined, reactionRefused: () => undefined };
  const codec = new EventCodec();
  const sizes = { ...shippedStreamSizes, liveStates: 2 };
  const engine = new Engine(
    log,
    codec,
    new JournalClock(systemClock),
    systemIdentifiers,
    watch,
    sizes,
  );
  return { engine, rung: fill(engine, restsIdle) };
}

/** An alarm set for a time in the past has rung by then. */
function untilTimersRan(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 2));
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

describe.each([
  ['that may rest at any time', true],
  ['that rest only while they wait', false],
])('streams %s', (_name, restsIdle) => {
  it('rest while they are replayed, and those that are due are asked', async () => {
    const first = await open(restsIdle);
    for (const id of names)
      await first.engine.dispatch([{ kind: 'bell', type: 'Set', id, ringsAt: 1, at: 1 }]);
    first.engine.effects.stop();
    await first.close();
    const again = await open(restsIdle, first.directory);
    await until(() => again.rung.length >= names.length);
    expect([...again.rung].sort()).toEqual(names.map((id) => `${id} ring at 1`));
    again.engine.effects.stop();
    await again.close();
  });

  it('rest while they are replayed, and ring when their time comes', async () => {
    const first = await open(restsIdle);
    for (const id of names) {
      const ringsAt = Date.now() + hourMs;
      await first.engine.dispatch([{ kind: 'bell', type: 'Set', id, ringsAt, at: 1 }]);
    }
    first.engine.effects.stop();
    await first.close();
    const again = await open(restsIdle, first.directory);
    const bells = again.engine.actors('bell');
    expect(bells.size).toBe(names.length);
    expect([...bells.awakeIds()].length).toBeLessThanOrEqual(2);
    const due = names.map(() => bells.takeDue(Date.now() + hourMs));
    expect(due.sort()).toEqual(names);
    expect(again.rung).toEqual([]);
    again.engine.effects.stop();
    await again.close();
  });

  it('are not asked before all that has happened to them is replayed', async () => {
    const { engine, rung } = replayingEngine(restsIdle);
    const turns = [1, 2, Date.now() + hourMs].flatMap((at) => names.map((id) => ({ id, at })));
    for (const [offset, { id, at }] of turns.entries()) {
      const sequence = Math.floor(offset / names.length);
      const place = { kind: 'bell', id, sequence, at: 1, offset, previous: offset - names.length };
      engine.replay([
        { ...place, by: null, event: { type: 'Set', at } as BellEvent, body: null, byteLength: 0 },
      ]);
      await untilTimersRan();
    }
    await resumeEffects(engine);
    await untilTimersRan();
    expect(rung).toEqual([]);
    expect(engine.actors('bell').size).toBe(names.length);
    engine.effects.stop();
  });

  it('are asked in the order in which they are wanted, and then in which they began', async () => {
    const { engine, rung } = replayingEngine(restsIdle);
    for (const [offset, id] of names.entries()) {
      const at = id < 'e' ? 2 : 1;
      const place = { kind: 'bell', id, sequence: 0, at: 1, offset, previous: -1 };
      engine.replay([
        { ...place, by: null, event: { type: 'Set', at } as BellEvent, body: null, byteLength: 0 },
      ]);
    }
    await resumeEffects(engine);
    expect(rung.map((each) => each.slice(0, 1)).join('')).toBe('efghabcd');
    engine.effects.stop();
  });
});
