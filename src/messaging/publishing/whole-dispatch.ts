/**
 * What is carried out whole or not at all, and does not fit one turn: what a run refuses is refused
 * with all messages of the same batch, in whichever turn they are.
 */
import { dispatchAll, dispatchAtOnce } from '../../engine/bulk/slices.js';
import type { Command } from '../../engine/decider.js';
import type { Engine } from '../../engine/engine.js';
import type { Principal } from '../../engine/principal/principal.js';
import { type Outcome, RefusalOfAnother } from '../../engine/turn.js';
import type { PublishMessage } from '../messages/message.commands.js';

/**
 * The outcomes, in the order of the commands. What may be refused is decided first, in one tick; a
 * publish never is, so that all of them follow, or none where there was a refusal. Of more than 256
 * commands that may be refused, each turn is whole.
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
