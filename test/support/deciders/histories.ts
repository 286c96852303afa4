/** Random histories of commands, for the laws of deciders. */
import fc from 'fast-check';
import type { Command, Effect } from '../../../src/engine/decider.js';
import type { Engine } from '../../../src/engine/engine.js';
import { type Identifiers, systemIdentifiers } from '../../../src/engine/identifiers.js';

/** More for longer runs: `DECIDER_RUNS=1000 npm run jest -- decider.laws`. */
export const runs = Number(process.env['DECIDER_RUNS'] ?? 8);

/** When every history begins, Unix milliseconds. */
export const historyStart = 1_767_000_000_000;

export const minute = 60_000;

/** The fields that a test chooses of a command; kind and time come from the history. */
export type CommandFields<Cmd extends Command> = Cmd extends Command
  ? Omit<Cmd, 'kind' | 'at'>
  : never;

/** Commands to entities of one kind, from arbitrary fields. */
export function commandsTo<Cmd extends Command>(
  kind: string,
  fields: fc.Arbitrary<CommandFields<Cmd>>,
): fc.Arbitrary<Command> {
  return fields.map((chosen) => ({ ...chosen, kind, at: 0 }) as Command);
}

/** An effect that a decider wants and that these tests do not carry out. */
export const carriesNothing = { start: () => () => undefined };

/** A kind of entity, registered as in the product, and the commands of its histories. */
export interface Subject<Indexes> {
  readonly decider: {
    readonly kind: string;
    wants(state: never, id: string): readonly Effect[];
  };
  readonly commands: fc.Arbitrary<Command>;
  /** Registers the kind; gives the indexes that must survive a restart as the states do. */
  register(engine: Engine): Indexes;
  /** A command that names a place in an index, addressed to the entity that is there. */
  address?(command: Command, indexes: Indexes): Command;
}

/** Turns, each with the time that passes before it: a deduplication window is ten minutes. */
export const histories = (commands: fc.Arbitrary<Command>, minLength = 1, maxLength = 12) =>
  fc.array(
    fc.record({
      afterMs: fc.constantFrom(0, 1, minute, 9 * minute, 11 * minute),
      turn: fc.array(commands, { minLength: 1, maxLength: 4 }),
    }),
    { minLength, maxLength, ...(minLength > 1 && { size: 'max' as const }) },
  );

/** Names that are counted: two engines that take the same turns name the same. */
export function countedNames(): Identifiers {
  let turns = 0;
  const turnSeed = () => {
    turns += 1;
    return `turn${turns}_`;
  };
  return { ...systemIdentifiers, turnSeed, randomBytes: (length) => Buffer.alloc(length) };
}
