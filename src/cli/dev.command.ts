/** `stepwell dev`: the server for a developer's machine, found by SDKs in development mode. */
import { Command, InvalidArgumentError } from 'commander';
import { type FaultPlan, parseFaults } from '../server/development/delivery-faults.js';
import type { DevOptions } from './dev.js';
import { dataDirOption } from './folder/folder-option.js';
import { examplesText } from './output/examples.js';

/** Listens only on a loopback address; any other is refused with exit code 64. */
export function devCommand(): Command {
  return new Command('dev')
    .description("run the server with the SDKs' published development credentials, on loopback")
    .addOption(dataDirOption())
    .option(
      '--fault <faults>',
      'disturb deliveries on purpose: drop=5%,lose=5%,delay=1s',
      faultOption,
    )
    .addHelpText('after', examplesText(examples))
    .action(async (options: DevOptions) => (await import('./engine.part.js')).actions.dev(options));
}

const examples = [
  'stepwell dev --fault drop=5%,delay=1s',
  'stepwell clock +3d        moves the time forward',
];

function faultOption(text: string): FaultPlan {
  const plan = parseFaults(text);
  if (plan.ok) return plan.value;
  throw new InvalidArgumentError(`${plan.message}.`);
}
