/**
 * The laws that hold for every decider, tried on random histories over a real journal: what the
 * engine answers, remembers and wants does not depend on when it was restarted.
 */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import fc from 'fast-check';
import type { Command, Effect } from '../../../src/engine/decider.js';
import type { Engine } from '../../../src/engine/engine.js';
import { type Identifiers, systemIdentifiers } from '../../../src/engine/identifiers.js';
import { openEngine } from '../engine.js';

/** More for longer runs: `DECIDER_RUNS=1000 npm run jest -- decider.laws`. */
const runs = Number(process.env['DECIDER_RUNS'] ?? 25);

/** When every history begins, Unix milliseconds. */
export const historyStart = 1_767_000_000_000;

const minute = 60_000;

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
interface Subject<Indexes> {
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
const histories = (commands: fc.Arbitrary<Command>) =>
  fc.array(
    fc.record({
      afterMs: fc.constantFrom(0, 1, minute, 9 * minute, 11 * minute),
      turn: fc.array(commands, { minLength: 1, maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 12 },
  );

/** Names that are counted: two engines that take the same turns name the same. */
function countedNames(): Identifiers {
  let turns = 0;
  const turnSeed = () => {
    turns += 1;
    return `turn${turns}_`;
  };
  return { ...systemIdentifiers, turnSeed };
}

async function open<Indexes>(
  { decider, register, address }: Subject<Indexes>,
  directory?: string,
  names = countedNames(),
) {
  const registered: { indexes?: Indexes } = {};
  const opened = await openEngine(
    (engine) => {
      registered.indexes = register(engine);
    },
    directory,
    {},
    names,
  );
  const indexes = registered.indexes as Indexes;
  const actors = opened.engine.actors(decider.kind);
  return {
    ...opened,
    names,
    /** Everything a decision of this kind may depend on, and what it wants running. */
    remembered() {
      const streams = [...actors.ids()].sort().map((id) => {
        const actor = actors.find(id);
        return [id, actor, decider.wants(actor?.state as never, id)];
      });
      return { streams, indexes };
    },
    address: (command: Command) => address?.(command, indexes) ?? command,
  };
}

/** Tests that a decider keeps the laws. */
export function describeLaws<Indexes>(subject: Subject<Indexes>): void {
  describe(`a ${subject.decider.kind} with a random history`, () => {
    it('answers and remembers after a restart as if there had been none', async () => {
      const history = histories(subject.commands);
      await fc.assert(
        fc.asyncProperty(history, fc.nat(11), async (turns, restartAt) => {
          const whole = await open(subject);
          let restarted = await open(subject);
          let at = historyStart;
          for (const [index, { afterMs, turn }] of turns.entries()) {
            at += afterMs;
            const commands = turn.map((command) => ({ ...whole.address(command), at }));
            if (index === restartAt % turns.length) {
              await restarted.close();
              const live = restarted.remembered();
              restarted = await open(subject, restarted.directory, restarted.names);
              expect(restarted.remembered()).toEqual(live);
            }
            const outcomes = await whole.engine.dispatch(commands);
            expect(await restarted.engine.dispatch(commands)).toEqual(outcomes);
          }
          expect(restarted.remembered()).toEqual(whole.remembered());
          for (const { close, directory } of [whole, restarted]) {
            await close();
            await rm(dirname(directory), { recursive: true });
          }
        }),
        { numRuns: runs },
      );
    }, 600_000);
  });
}
