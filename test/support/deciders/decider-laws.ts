/**
 * The laws that hold for every decider, tried on random histories over a real journal: what the
 * engine answers, remembers and wants does not depend on when it was restarted.
 */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { ActorDirectory } from '../../../src/engine/actor-directory.js';
import type { Command } from '../../../src/engine/decider.js';
import { openEngine } from '../engine.js';
import { countedNames, histories, historyStart, runs, type Subject } from './histories.js';
import { testSnapshots } from './snapshot-laws.js';
import { testSweeps } from './sweep-laws.js';

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
  // Its streams are compared below.
  const compared = indexes instanceof ActorDirectory ? null : indexes;
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
      return { streams, indexes: compared };
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

    testSweeps(subject);
    testSnapshots(subject);
  });
}
