/** What `stepwell machines` does: prints the machine of each entity that has one, as a diagram. */
import { ConfigurationError } from '../../server/configuration/config.js';
import { printLines } from '../output/terminal.js';
import { type DrawnMachine, diagramOf } from './machine-diagram.js';
import { machines } from './machine-list.js';

/**
 * Prints all machines if `name` is undefined; throws `ConfigurationError` if there is none of that
 * name.
 */
export async function printMachines(name: string | undefined): Promise<void> {
  const selected = machines.filter(({ id }) => name === undefined || id === name);
  if (selected.length === 0) {
    const names = machines.map(({ id }) => id).join(', ');
    throw new ConfigurationError([`there is no machine ${name}; the machines are ${names}`]);
  }
  await printLines(machineLines(selected));
}

/** A heading and a diagram per machine, as Markdown. */
export function machineLines(machines: readonly DrawnMachine[]): string[] {
  return machines.flatMap((machine, index) => [
    ...(index === 0 ? [] : ['']),
    `## ${machine.id}`,
    '',
    '```mermaid',
    ...diagramOf(machine),
    '```',
  ]);
}
