/** `stepwell config`: every setting, its value, and where it came from. */
import { Command } from 'commander';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { type Config, type Origin, readConfiguration } from '../server/configuration/config.js';
import { shownSettings } from '../server/configuration/shown-settings.js';
import { readCredentials } from '../server/credentials/credentials.js';
import { type DataDirOption, dataDirOption, givenSettings } from './folder-option.js';
import { examplesText } from './output/examples.js';
import { sayAll } from './output/terminal.js';

/** What stands in place of a secret: that there is one, and nothing about it. */
const mask = '********';

export function configCommand(): Command {
  return new Command('config')
    .description('print every setting and where it came from')
    .addHelpText('after', examplesText(['stepwell config', 'STEPWELL_FSYNC=os stepwell config']))
    .addOption(dataDirOption())
    .action(printConfiguration);
}

async function printConfiguration(options: DataDirOption): Promise<void> {
  const { config, origins } = readConfiguration(undefined, 'start', givenSettings(options));
  const kept: Readonly<Record<string, unknown>> = await readCredentials(config, nodeDisk);
  await sayAll(configLines(config, origins, new Set(Object.keys(kept))));
}

/** One aligned line per setting; `kept` names the credentials that the data folder keeps. */
export function configLines(
  config: Config,
  origins: readonly Origin[],
  kept: ReadonlySet<string>,
): string[] {
  const settings = shownSettings(config, origins, (name) =>
    kept.has(name) ? 'file' : 'generated',
  );
  const rows = settings.map(({ variable, value, isSecret, source }): [string, string, string] => {
    if (!isSecret) return [variable, value ?? '-', source];
    return source === 'generated'
      ? [variable, '-', 'generated at the first start']
      : [variable, mask, source];
  });
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const valueWidth = Math.max(...rows.map(([, value]) => value.length));
  return rows.map(
    ([name, value, source]) => `${name.padEnd(nameWidth)}  ${value.padEnd(valueWidth)}  ${source}`,
  );
}
