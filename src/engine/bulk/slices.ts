/** Dispatches many commands as turns of at most 256, each within the limit of one append. */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Command, ResultOf } from '../decider.js';
import type { Engine } from '../engine.js';
import { TooLarge } from '../journal.js';
import type { Principal } from '../principal/principal.js';
import { type Outcome, RefusalOfAnother, turnCommandsMax } from '../turn.js';

/** The items in slices of `length` (the last one may be shorter), one slice per turn. */
export function* slicesOf<Item>(
  items: readonly Item[],
  length: number = turnCommandsMax,
): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += length) yield items.slice(from, from + length);
}

/**
 * Dispatches all commands, one turn per tick, so that no other request waits long behind them (ADR
 * 0002). Returns their outcomes in order, once all are durable. `by` is who caused it.
 */
export async function dispatchAll<Own extends Command>(
  engine: Engine,
  commands: readonly Own[],
  by: Principal | null = null,
): Promise<readonly Outcome<ResultOf<Own>>[]> {
  const turns: Promise<readonly Outcome<ResultOf<Own>>[]>[] = [];
  for (const slice of slicesOf(commands)) {
    if (turns.length > 0) await nextTick();
    const turn = dispatchFitting(engine, slice, false, by);
    // The turn is awaited below; until then its failure must not count as unhandled.
    turn.catch(() => undefined);
    turns.push(turn);
  }
  return (await Promise.all(turns)).flat();
}

/**
 * Dispatches all commands in one tick, so that nothing comes between. `areTogether`: one refusal
 * refuses all commands of its turn; what does not fit one turn is whole as far as each turn is.
 * `length`: how many commands form a turn; the halves of a turn that is too large come after later
 * turns.
 */
export async function dispatchAtOnce<Own extends Command>(
  engine: Engine,
  commands: readonly Own[],
  areTogether: boolean,
  by: Principal | null = null,
  length: number = turnCommandsMax,
): Promise<readonly Outcome<ResultOf<Own>>[]> {
  const turns = [...slicesOf(commands, length)].map((slice) =>
    dispatchFitting(engine, slice, areTogether, by),
  );
  return (await Promise.all(turns)).flat();
}

/**
 * One turn of these commands, 256 at most. If its events are more than one append takes, each half
 * of the commands is a turn of its own; of commands that go together, none is decided after one was
 * refused.
 */
export function dispatchFitting<Own extends Command>(
  engine: Engine,
  commands: readonly Own[],
  areTogether: boolean,
  by: Principal | null,
): Promise<readonly Outcome<ResultOf<Own>>[]> {
  const turn: Promise<readonly Outcome<ResultOf<Own>>[]> = areTogether
    ? engine.dispatchTogether(commands, by)
    : engine.dispatch(commands, by);
  return turn.catch((error: unknown) => {
    // A turn that was too large has changed nothing.
    if (!(error instanceof TooLarge) || commands.length < 2) throw error;
    return dispatchHalves(engine, commands, areTogether, by);
  });
}

async function dispatchHalves<Own extends Command>(
  engine: Engine,
  commands: readonly Own[],
  areTogether: boolean,
  by: Principal | null,
): Promise<readonly Outcome<ResultOf<Own>>[]> {
  const middle = Math.ceil(commands.length / 2);
  const [one, other] = [commands.slice(0, middle), commands.slice(middle)];
  if (!areTogether) {
    // Both in one tick: a message whose body others share must still be pending.
    const halves = [one, other].map((half) => dispatchFitting(engine, half, false, by));
    return (await Promise.all(halves)).flat();
  }
  const outcomes = await dispatchFitting(engine, one, true, by);
  for (const outcome of outcomes) {
    if (outcome.ok) continue;
    const another = RefusalOfAnother.than(outcome);
    return [...outcomes, ...other.map(() => another)];
  }
  return [...outcomes, ...(await dispatchFitting(engine, other, true, by))];
}
