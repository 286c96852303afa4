/**
 * Dispatches submissions that are carried out whole or not at all and do not fit one turn: if a run
 * refuses, all messages of the same batch are refused, whichever turn they are in.
 */
import { dispatchAll, dispatchAtOnce } from '../../engine/bulk/slices.js';
import type { Command } from '../../engine/decider.js';
import type { Engine } from '../../engine/engine.js';
import type { Principal } from '../../engine/principal/principal.js';
import { type Outcome, RefusalOfAnother } from '../../engine/turn.js';
import type { PublishMessage } from '../messages/message.commands.js';

/**
 * Returns the outcomes in the order of the commands. Commands that may be refused are decided
 * first, in one tick. A publish is never refused, so afterwards either all publishes follow, or
 * none if there was a refusal. If more than 256 commands may be refused, only each turn is whole.
 */
export async function dispatchWhole(
  engine: Engine,
  commands: readonly Command[],
  by: Principal | null,
): Promise<readonly Outcome[]> {
  const judged = commands.filter((command) => !isPublish(command));
  const publishes = commands.filter(isPublish);
  const decided = await dispatchAtOnce(engine, judged, true, by);
  const refusal = decided.find((outcome) => !outcome.ok);
  const published =
    refusal === undefined || refusal.ok
      ? await dispatchAll(engine, publishes, by)
      : publishes.map(() => RefusalOfAnother.than(refusal));
  const outcomes = new Map<Command, Outcome | undefined>([
    ...judged.map((command, index) => [command, decided[index]] as const),
    ...publishes.map((command, index) => [command, published[index]] as const),
  ]);
  return commands.map((command) => {
    const outcome = outcomes.get(command);
    if (outcome === undefined) throw new Error(`${command.type} has no outcome`);
    return outcome;
  });
}

function isPublish(command: Command): command is PublishMessage {
  return command.type === 'PublishMessage';
}
