/** Many commands as turns of at most 256 each. */
import type { Command, ResultOf } from '../decider.js';
import type { Engine } from '../engine.js';
import type { Principal } from '../principal/principal.js';
import { type Outcome, turnCommandsMax } from '../turn.js';

/** The items in slices of `length`, the last one shorter: those of one turn. */
export function* slicesOf<Item>(
  items: readonly Item[],
  length: number = turnCommandsMax,
): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += length) yield items.slice(from, from + length);
}

/**
 * Dispatches all commands, one turn in each tick so that no other request waits long behind them
 * (ADR 0002), and answers their outcomes in order once all are durable. `by` caused it.
 */
export async function dispatchAll<Own extends Command>(
  engine: Engine,
  commands: readonly Own[],
  by: Principal | null = null,
): Promise<readonly Outcome<ResultOf<Own>>[]> {
  const turns: Promise<readonly Outcome<ResultOf<Own>>[]>[] = [];
  for (const slice of slicesOf(commands)) {
    if (turns.length > 0) await nextTick();
    const turn = engine.dispatch(slice, by);
    // It is awaited below; until then its failure is not unhandled.
    turn.catch(() => undefined);
    turns.push(turn);
  }
  return (await Promise.all(turns)).flat();
}

/**
 * Dispatches all commands in one tick, so that nothing comes between. `areTogether`: one refusal
 * refuses all commands of its turn; what does not fit one turn is whole as far as each turn is.
 */
export async function dispatchAtOnce<Own extends Command>(
  engine: Engine,
  commands: readonly Own[],
  areTogether: boolean,
  by: Principal | null = null,
): Promise<readonly Outcome<ResultOf<Own>>[]> {
  const turns = [...slicesOf(commands)].map((slice) =>
    areTogether ? engine.dispatchTogether(slice, by) : engine.dispatch(slice, by),
  );
  return (await Promise.all(turns)).flat();
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
