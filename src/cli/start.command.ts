/** `stepwell start`: the server. */
import { Command } from 'commander';
import { type DataDirOption, dataDirOption } from './folder/folder-option.js';
import { examplesText } from './output/examples.js';

/** Runs until the process is asked to stop; docs/operations.md lists the exit codes. */
export function startCommand(): Command {
  return new Command('start')
    .description('run the server')
    .addHelpText(
      'after',
      examplesText(['stepwell start', 'stepwell start --data-dir /var/lib/stepwell']),
    )
    .addOption(dataDirOption())
    .action(async (options: DataDirOption) =>
      (await import('./engine.part.js')).actions.start(options),
    );
}
