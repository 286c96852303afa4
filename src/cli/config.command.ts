/** `stepwell config`: every setting, its value, and where it came from. */
import { Command } from 'commander';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import {
  allowedNetworks,
  type Config,
  type Origin,
  readConfiguration,
} from '../server/configuration/config.js';
import { readCredentials } from '../server/credentials/credentials.js';
import { type DataDirOption, dataDirOption, givenSettings } from './folder-option.js';
import { sayAll } from './terminal.js';

/** What stands in place of a secret: that there is one, and nothing about it. */
const mask = '********';

export function configCommand(): Command {
  return new Command('config')
    .description('print every setting and where it came from')
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
  const rows = origins.map((origin): [string, string, string] => {
    if (!origin.isSecret) return [origin.variable, shown(config, origin), origin.source];
    if (origin.text !== null) return [origin.variable, mask, origin.source];
    return kept.has(origin.name)
      ? [origin.variable, mask, 'file']
      : [origin.variable, '-', 'generated at the first start'];
  });
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const valueWidth = Math.max(...rows.map(([, value]) => value.length));
  return rows.map(
    ([name, value, source]) => `${name.padEnd(nameWidth)}  ${value.padEnd(valueWidth)}  ${source}`,
  );
}

/** Values that follow from others are shown as what they come to. */
function shown(config: Config, { name, text }: Origin): string {
  if (text !== null && text !== '') return text;
  if (name === 'publicUrl') return `http://${config.host}:${config.port}`;
  if (name !== 'allowNetworks') return '-';
  const { networks, hosts } = allowedNetworks(config);
  return [...networks, ...hosts].join(',') || '-';
}
