/** `stepwell machines`: the state machine of each entity that has one, as a diagram. */
import { Command } from 'commander';
import { examplesText } from './output/examples.js';

/** Needs no server and no folder. */
export function machinesCommand(): Command {
  return new Command('machines')
    .description('print the state machines as Mermaid diagrams, all of them or one')
    .argument('[name]', 'only this one: run, schedule, job, ...')
    .addHelpText(
      'after',
      examplesText(['stepwell machines run', 'stepwell machines > machines.md']),
    )
    .action(async (name: string | undefined) =>
      (await import('./engine.part.js')).actions.printMachines(name),
    );
}
