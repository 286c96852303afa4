/** Actions on many streams: many turns, so that none of them holds the event loop (decision 8). */
import type { Command } from './decider.js';
import { type Engine, turnCommandsMax } from './engine.js';

/**
 * Dispatches commands as they come, each turn once the one before is durable, until `countMax` of
 * them were accepted or there are no more. Answers how many were. Costs the memory of one turn.
 */
export async function dispatchMany(
  engine: Engine,
  commands: AsyncIterable<Command>,
  countMax: number,
): Promise<number> {
  let accepted = 0;
  let turn: Command[] = [];
  const decide = async () => {
    const outcomes = turn.length === 0 ? [] : await engine.dispatch(turn);
    accepted += outcomes.filter((outcome) => outcome.accepted).length;
    turn = [];
  };
  for await (const command of commands) {
    turn.push(command);
    if (turn.length < Math.min(turnCommandsMax, countMax - accepted)) continue;
    await decide();
    if (accepted >= countMax) return accepted;
  }
  await decide();
  return accepted;
}
