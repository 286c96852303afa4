/** `stepwell config`: every setting, its value, and where it came from. */
import { Command } from 'commander';
import { type DataDirOption, dataDirOption } from './folder/folder-option.js';
import { examplesText } from './output/examples.js';

/**
 * Reads settings as a start would; an invalid one is reported with exit code 64. Secrets are
 * hidden.
 */
export function configCommand(): Command {
  return new Command('config')
    .description('print every setting and where it came from')
    .addHelpText('after', examplesText(['stepwell config', 'STEPWELL_FSYNC=os stepwell config']))
    .addOption(dataDirOption())
    .action(async (options: DataDirOption) =>
      (await import('./engine.part.js')).actions.printConfiguration(options),
    );
}
