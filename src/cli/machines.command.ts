/** `stepwell machines`: the life of each entity that has a machine, as a diagram. */
import { Command } from 'commander';
import { ConfigurationError } from '../server/configuration/config.js';
import type { DrawnMachine } from './machine-diagram.js';
import { examplesText } from './output/examples.js';
import { sayAll } from './output/terminal.js';

export function machinesCommand(): Command {
  return new Command('machines')
    .description('print the state machines as Mermaid diagrams, all of them or one')
    .argument('[name]', 'only this one: run, schedule, consumer, ...')
    .addHelpText(
      'after',
      examplesText(['stepwell machines run', 'stepwell machines > machines.md']),
    )
    .action(printMachines);
}

/** Machines are imported here, so that the other commands start without them. */
async function printMachines(name: string | undefined): Promise<void> {
  const { machines } = await import('./machine-list.js');
  const meant = machines.filter(({ id }) => name === undefined || id === name);
  if (meant.length === 0) {
    const names = machines.map(({ id }) => id).join(', ');
    throw new ConfigurationError([`there is no machine ${name}: there are ${names}`]);
  }
  await sayAll(await machineLines(meant));
}

/** A heading and a diagram per machine, as Markdown. */
export async function machineLines(machines: readonly DrawnMachine[]): Promise<string[]> {
  const { diagramOf } = await import('./machine-diagram.js');
  return machines.flatMap((machine, index) => [
    ...(index === 0 ? [] : ['']),
    `## ${machine.id}`,
    '',
    '```mermaid',
    ...diagramOf(machine),
    '```',
  ]);
}
