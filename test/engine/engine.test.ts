import fc from 'fast-check';
import {
  accept,
  type Command,
  type Decider,
  type DomainEvent,
  type Effect,
  type EventEnvelope,
} from '../../src/engine/decider.js';
import type { Engine } from '../../src/engine/engine.js';
import type { Fold } from '../../src/engine/registration.js';
import { RefusalOfAnother } from '../../src/engine/turn.js';
import type { TurnChanges } from '../../src/engine/turn-changes.js';
import { Refusal } from '../../src/grammar/result.js';
import { type EngineOnDisk, openEngine } from '../support/engine.js';

/** A counter: plain arithmetic with every feature of a decider and every way to fail. */
type CounterEvent =
  | { type: 'Added'; amount: number; note: string | null }
  | { type: 'Renamed'; name: string; shapes: Record<string, number> }
  | { type: 'Closed' }
  | { type: 'Unheard' };
interface CounterState {
  readonly total: number;
  readonly openedAt: number;
  readonly closed: boolean;
}
interface CounterCommand extends Command {
  readonly type: 'Add' | 'Rename' | 'Close' | 'Explode' | 'Copy' | 'Mishear';
  readonly amount?: number;
  readonly body?: Buffer;
  readonly shapes?: Record<string, number>;
}

/** The sum of all counters. */
class Sum implements Fold {
  readonly totals = new Map<string, number>();
  readonly memory = { name: 'sum', maps: { totals: this.totals } };

  evolve({ id, event }: EventEnvelope<DomainEvent>, changes: TurnChanges): void {
    const added = event as CounterEvent;
    if (added.type !== 'Added') return;
    changes.set(this.totals, id, (this.totals.get(id) ?? 0) + added.amount);
  }

  get all(): number {
    return [...this.totals.values()].reduce((left, right) => left + right, 0);
  }
}

const counterDecider: Decider<CounterState, CounterCommand, CounterEvent, Sum> = {
  kind: 'counter',
  events: { Added: [], Renamed: [], Closed: [], Unheard: [] },
  initialState: () => ({ total: 0, openedAt: -1, closed: false }),
  decide(command, state, sum) {
    switch (command.type) {
      case 'Add':
        if ((command.amount ?? 0) < 0) return new Refusal('invalid', 'only upwards');
        return accept(
          [{ type: 'Added', amount: command.amount ?? 0, note: null }],
          { total: state.total + (command.amount ?? 0), all: sum.all },
          command.body ?? null,
        );
      case 'Rename':
        return accept([{ type: 'Renamed', name: 'n', shapes: command.shapes ?? {} }]);
      case 'Close':
        return accept([{ type: 'Closed' }]);
      case 'Copy':
        return accept([{ type: 'Added', amount: 0, note: 'copy' }]);
      case 'Explode':
        throw new Error('defect');
      case 'Mishear':
        return accept([{ type: 'Added', amount: 1, note: null }, { type: 'Unheard' }]);
    }
  },
  evolve(state, event, { offset }) {
    if (event.type === 'Closed') return { ...state, closed: true };
    if (event.type !== 'Added') return state;
    const openedAt = state.openedAt === -1 ? offset : state.openedAt;
    return { ...state, openedAt, total: state.total + event.amount };
  },
  handles: (_state, { type }) => type !== 'Unheard',
  react({ event, at }, _state, names) {
    if (event.type !== 'Added' || event.note !== 'copy') return [];
    const address = { kind: 'counter', at };
    return [
      { ...address, type: 'Add', id: names.next('copy'), amount: 7 },
      { ...address, type: 'Add', id: names.next('copy'), amount: -1 },
    ] as CounterCommand[];
  },
  wants: (state): readonly Effect[] =>
    state.total > 100 ? [{ kind: 'ring', id: `over ${state.total}`, notBefore: 0 }] : [],
  isFinal: (state) => state.closed,
  // Others wait for a counter that has reached seven.
  isAwaited: (state) => state.total === 7,
  terms: (event) => [`type:${event.type}`],
};

const at = 1_767_000_000_000;
const command = (
  type: CounterCommand['type'],
  id: string,
  changes: Partial<CounterCommand> = {},
): CounterCommand => ({ type, kind: 'counter', id, at, ...changes });

async function open(engine?: EngineOnDisk) {
  const sum = new Sum();
  const rung: string[] = [];
  const stopped: string[] = [];
  const opened = await openEngine((joining) => {
    joining.register({ decider: counterDecider, view: sum, folds: [sum] });
    joining.carry('ring', {
      start: ({ id }, effect) => {
        rung.push(`${id} ${effect.id}`);
        return () => stopped.push(`${id} ${effect.id}`);
      },
    });
  }, engine?.directory);
  const states = () => {
    const counters = opened.engine.actors('counter');
    return [...counters.ids()].sort().map((id) => [id, counters.find(id)]);
  };
  return { ...opened, sum, rung, stopped, states };
}

describe('a turn', () => {
  it('is decided at once and answered when it is durable', async () => {
    const { engine, journal, sum, close } = await open();
    const answer = engine.dispatch([command('Add', 'a', { amount: 2 })]);
    expect(sum.all).toBe(2);
    expect(journal.highWatermark).toBeLessThan(journal.endOffset);
    expect(await answer).toMatchObject([{ ok: true, value: { total: 2, all: 0 } }]);
    expect(journal.highWatermark).toBe(journal.endOffset);
    await close();
  });

  it('sees what earlier commands of the same turn and of the same commit decided', async () => {
    const { engine, close } = await open();
    const first = engine.dispatch([
      command('Add', 'a', { amount: 1 }),
      command('Add', 'a', { amount: 2 }),
    ]);
    const second = engine.dispatch([command('Add', 'b', { amount: 4 })]);
    expect(await first).toMatchObject([{ value: { total: 1 } }, { value: { total: 3, all: 1 } }]);
    expect(await second).toMatchObject([{ value: { total: 4, all: 3 } }]);
    await close();
  });

  it('answers a refusal only after everything before it is durable', async () => {
    const { engine, journal, close } = await open();
    void engine.dispatch([command('Add', 'a', { amount: 2 })]);
    const [outcome] = await engine.dispatch([command('Add', 'a', { amount: -2 })]);
    expect(outcome).toEqual({
      ok: false,
      code: 'invalid',
      message: 'only upwards',
    });
    expect(journal.highWatermark).toBe(journal.endOffset);
    await close();
  });

  it('that hits a defect changes neither memory nor journal, and later turns work', async () => {
    const { engine, journal, states, failures, close } = await open();
    await engine.dispatch([command('Add', 'a', { amount: 2 })]);
    const before = JSON.stringify(states());
    const end = journal.endOffset;
    const poison = [command('Add', 'a', { amount: 5 }), command('Explode', 'a')];
    await expect(engine.dispatch(poison)).rejects.toThrow('defect');
    expect(() => engine.dispatchAndForget(poison)).not.toThrow();
    expect(JSON.stringify(states())).toBe(before);
    expect(journal.endOffset).toBe(end);
    expect(failures).toHaveLength(2);
    expect(await engine.dispatch([command('Add', 'a', { amount: 1 })])).toMatchObject([
      { value: { total: 3 } },
    ]);
    await close();
  });

  it('fails without any change if an accepted event would not be handled', async () => {
    const { engine, journal, states, failures, close } = await open();
    await engine.dispatch([command('Add', 'a', { amount: 2 })]);
    const before = JSON.stringify(states());
    const end = journal.endOffset;
    await expect(engine.dispatch([command('Mishear', 'a')])).rejects.toThrow(
      'counter a accepted Unheard, which it does not hear in its state',
    );
    expect(JSON.stringify(states())).toBe(before);
    expect(journal.endOffset).toBe(end);
    expect(failures).toHaveLength(1);
    await close();
  });

  it('that the journal refuses changes nothing either', async () => {
    const { engine, states, close } = await open();
    await engine.dispatch([command('Add', 'a', { amount: 1 })]);
    const before = JSON.stringify(states());
    const body = Buffer.alloc(33 * 1024 * 1024);
    const tooLarge = engine.dispatch([command('Add', 'a', { amount: 5, body })]);
    await expect(tooLarge).rejects.toMatchObject({ code: 'too_large' });
    expect(JSON.stringify(states())).toBe(before);
    await close();
    const tooLate = engine.dispatch([command('Add', 'a', { amount: 5 })]);
    await expect(tooLate).rejects.toMatchObject({ code: 'closed' });
    expect(JSON.stringify(states())).toBe(before);
  });

  it('decides its reactions too, drops a refused one, and names what it creates', async () => {
    const { engine, states, refused, close } = await open();
    await engine.dispatch([command('Copy', 'a')]);
    expect(states()).toMatchObject([
      ['a', { state: { total: 0 } }],
      [expect.stringMatching(/^copy_/), { state: { total: 7 } }],
    ]);
    expect(refused.map(({ refusal }) => refusal.code)).toEqual(['invalid']);
    await close();
  });

  it('takes at most 256 commands', async () => {
    const { engine, close } = await open();
    const many = Array.from({ length: 257 }, () => command('Add', 'a', { amount: 1 }));
    await expect(engine.dispatch(many)).rejects.toThrow('more commands than a turn takes');
    await close();
  });
});

describe('a turn whose answer no caller waits for', () => {
  /** Nothing is written by a timer; the shapes and two counters exist already. */
  async function openTimeless() {
    const opened = await openEngine(
      (joining) => {
        joining.register({ decider: counterDecider, view: new Sum(), folds: [] });
        joining.carry('ring', { start: () => () => undefined });
      },
      undefined,
      { after: () => () => undefined },
    );
    await opened.engine.dispatch([
      command('Add', 'a', { amount: 1 }),
      command('Add', 'b', { amount: 1 }),
      command('Close', 'c'),
    ]);
    return opened;
  }

  it('is written with the next one if every stream that it changed has ended', async () => {
    const { engine, journal, close } = await openTimeless();
    engine.dispatchAndForget([command('Close', 'a')]);
    expect(engine.actors('counter').find('a')).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(journal.highWatermark).toBe(journal.endOffset - 1);
    await engine.dispatch([command('Add', 'b', { amount: 1 })]);
    expect(journal.highWatermark).toBe(journal.endOffset);
    await close();
  });

  it('is written at once if others wait for the end of a stream that it changed', async () => {
    const { engine, journal, close } = await openTimeless();
    await engine.dispatch([command('Add', 'a', { amount: 6 })]);
    engine.dispatchAndForget([command('Close', 'a')]);
    await new Promise<void>((resolve) => journal.whenBeyond(journal.endOffset - 1, resolve));
    expect(journal.highWatermark).toBe(journal.endOffset);
    await close();
  });

  it('is written when a reader would see it', async () => {
    const { engine, journal, close } = await openTimeless();
    engine.dispatchAndForget([command('Close', 'a')]);
    await engine.shown(() => engine.actors('counter').size);
    expect(journal.highWatermark).toBe(journal.endOffset);
    await close();
  });

  it('is written at once if something may start because of it', async () => {
    const { engine, journal, close } = await openTimeless();
    engine.dispatchAndForget([command('Add', 'b', { amount: 1 })]);
    await new Promise<void>((resolve) => journal.whenBeyond(journal.endOffset - 1, resolve));
    expect(journal.highWatermark).toBe(journal.endOffset);
    await close();
  });
});

describe('a turn of commands that go together', () => {
  it('is like any other if none of them is refused', async () => {
    const { engine, states, close } = await open();
    const outcomes = await engine.dispatchTogether([
      command('Add', 'a', { amount: 1 }),
      command('Add', 'b', { amount: 2 }),
    ]);
    expect(outcomes).toMatchObject([
      { ok: true, value: { total: 1 } },
      { ok: true, value: { total: 2 } },
    ]);
    expect(states()).toMatchObject([
      ['a', { state: { total: 1 } }],
      ['b', { state: { total: 2 } }],
    ]);
    await close();
  });

  it('is refused as a whole by one refusal, and leaves no trace then', async () => {
    const { engine, journal, states, sum, rung, close } = await open();
    await engine.dispatch([command('Add', 'a', { amount: 1 })]);
    const before = JSON.stringify(states());
    const end = journal.endOffset;
    const outcomes = await engine.dispatchTogether([
      command('Add', 'a', { amount: 500 }),
      command('Add', 'b', { amount: -1 }),
      command('Add', 'c', { amount: 3 }),
    ]);
    expect(outcomes).toHaveLength(3);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ ok: false, message: 'only upwards' });
    }
    const areOfAnother = outcomes.map((outcome) => outcome instanceof RefusalOfAnother);
    expect(areOfAnother).toEqual([true, false, true]);
    expect(JSON.stringify(states())).toBe(before);
    expect(sum.all).toBe(1);
    expect(journal.endOffset).toBe(end);
    await settle();
    expect(rung).toEqual([]);
    await close();
  });

  it('is accepted although a reaction is refused: no caller waits for that one', async () => {
    const { engine, states, refused, close } = await open();
    const outcomes = await engine.dispatchTogether([command('Copy', 'a')]);
    expect(outcomes).toMatchObject([{ ok: true }]);
    expect(refused).toHaveLength(1);
    expect(states()).toHaveLength(2);
    await close();
  });
});

describe('an index of another feature', () => {
  /** How many counters were ever closed, and their values as far as memory knew. */
  class Closings implements Fold {
    readonly totals = new Map<string, number>();
    readonly memory = { name: 'closings', maps: { totals: this.totals } };

    constructor(private readonly engine: Engine) {}

    evolve({ id, event }: EventEnvelope<DomainEvent>, changes: TurnChanges): void {
      if ((event as CounterEvent).type !== 'Closed') return;
      const before = this.engine.actors('counter').find(id)?.state as CounterState;
      changes.set(this.totals, id, before.total);
    }
  }

  async function openFollowed(directory?: string) {
    const followers: Closings[] = [];
    const opened = await openEngine((joining) => {
      const closings = new Closings(joining);
      const sum = new Sum();
      // An index may follow a kind that is registered after it.
      joining.follow('counter', closings);
      joining.register({ decider: counterDecider, view: sum, folds: [sum] });
      joining.carry('ring', { start: () => () => undefined });
      followers.push(closings);
    }, directory);
    return { ...opened, totals: followers[0]?.totals };
  }

  it('follows events live and replayed, and sees each stream as it was before', async () => {
    const live = await openFollowed();
    await live.engine.dispatch([
      command('Add', 'a', { amount: 4 }),
      command('Close', 'a'),
      command('Add', 'b', { amount: 5 }),
    ]);
    expect([...(live.totals ?? [])]).toEqual([['a', 4]]);
    await live.close();
    const replayed = await openFollowed(live.directory);
    expect(replayed.totals).toEqual(live.totals);
    await replayed.close();
  });

  it('forgets the events of a turn that was reverted', async () => {
    const { engine, totals, close } = await openFollowed();
    await engine.dispatch([command('Add', 'a', { amount: 4 })]);
    await engine.dispatchTogether([command('Close', 'a'), command('Add', 'b', { amount: -1 })]);
    await expect(engine.dispatch([command('Close', 'a'), command('Explode', 'a')])).rejects.toThrow(
      'defect',
    );
    expect(totals?.size).toBe(0);
    await close();
  });
});

describe('a stream', () => {
  it('leaves memory when it is final and can be read back along its chain', async () => {
    const { engine, journal, states, close } = await open();
    await engine.dispatch([command('Add', 'a', { amount: 1, body: Buffer.from('bytes') })]);
    await engine.dispatch([command('Add', 'b', { amount: 9 })]);
    await engine.dispatch([command('Add', 'a', { amount: 2 }), command('Close', 'a')]);
    expect(states().map(([id]) => id)).toEqual(['b']);
    const events = [];
    for await (const { event, sequence, body } of journal.readStream(journal.endOffset - 1)) {
      events.push([sequence, event.type, body?.toString() ?? null]);
    }
    expect(events).toEqual([
      [2, 'Closed', null],
      [1, 'Added', null],
      [0, 'Added', 'bytes'],
    ]);
    await close();
  });
});

describe('effects', () => {
  it('start once they are wanted and durable, and stop once they are not wanted', async () => {
    const { engine, rung, stopped, close } = await open();
    const added = engine.dispatch([command('Add', 'a', { amount: 101 })]);
    expect(rung).toEqual([]);
    await added;
    await settle();
    expect(rung).toEqual(['a over 101']);
    await engine.dispatch([command('Add', 'a', { amount: 1 })]);
    await settle();
    expect(rung).toEqual(['a over 101', 'a over 102']);
    expect(stopped).toEqual(['a over 101']);
    await engine.dispatch([command('Close', 'a')]);
    await settle();
    expect(stopped).toEqual(['a over 101', 'a over 102']);
    await close();
  });

  it('wait for the commit of the event that wants them, even if reconciled before', async () => {
    const { engine, rung, close } = await open();
    const added = engine.dispatch([command('Add', 'a', { amount: 101 })]);
    engine.reconcile('counter', 'a');
    expect(rung).toEqual([]);
    await added;
    await settle();
    expect(rung).toEqual(['a over 101']);
    await close();
  });

  it('of a replayed stream start again, and nothing is sent twice for it', async () => {
    const first = await open();
    await first.engine.dispatch([command('Add', 'a', { amount: 101 })]);
    await settle();
    await first.close();
    const second = await open(first);
    expect(second.rung).toEqual(['a over 101']);
    await second.close();
  });
});

describe('replay', () => {
  const anyCommand = fc.oneof(
    fc.record({
      type: fc.constantFrom('Add' as const, 'Close' as const, 'Copy' as const),
      id: fc.constantFrom('a', 'b', 'c'),
      amount: fc.integer({ min: -1, max: 60 }),
    }),
    fc.record({
      type: fc.constant('Rename' as const),
      id: fc.constantFrom('a', 'b', 'c'),
      // Every set of keys is a shape of its own: the log must learn each before its first use.
      shapes: fc.dictionary(fc.constantFrom('x', 'y', 'z', '__proto__'), fc.integer()),
    }),
  );

  it('leads to the same state as the live turns, for any commands', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(anyCommand, { maxLength: 5 })), async (turns) => {
        const live = await open();
        await Promise.all(
          turns.map((turn) =>
            live.engine.dispatch(turn.map(({ type, id, ...rest }) => command(type, id, rest))),
          ),
        );
        await live.close();
        const replayed = await open(live);
        expect(replayed.states()).toEqual(live.states());
        expect(replayed.sum.all).toBe(live.sum.all);
        await replayed.close();
      }),
      { numRuns: 60 },
    );
  });
});

/** Also finishes what is due in this turn of the event loop, however late the timer fires. */
const settle = async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setImmediate(resolve));
};
