/** What `stepwell config` does: every setting, its value, and where it came from. */
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { systemIdentifiers } from '../../engine/identifiers.js';
import { type Config, type SettingOrigin, type Source } from '../../server/configuration/config.js';
import { shownSettings } from '../../server/configuration/shown-settings.js';
import { judgeCredentials } from '../../server/credentials/credentials.js';
import { refuseWeakSecrets } from '../../server/credentials/weak-secrets.js';
import { requireArchive } from '../../server/history/archive-folder.js';
import { printLines } from '../output/terminal.js';
import type { DataDirOption } from './folder-option.js';
import { configurationOf } from './owned-folder.js';

/** Shown in place of a secret: says that it is set, and nothing else about it. */
const mask = '********';

/** Throws `ConfigurationError` for settings and secrets that a start would refuse. */
export async function printConfiguration(options: DataDirOption): Promise<void> {
  const { config, origins } = configurationOf(options);
  await requireArchive(config, nodeDisk);
  const { opened } = await judgeCredentials(config, nodeDisk, systemIdentifiers, refuseWeakSecrets);
  await printLines(configLines(config, origins, opened.sources));
}

/** One aligned line per setting; `sources` says where credentials come from. */
function configLines(
  config: Config,
  origins: readonly SettingOrigin[],
  sources: Readonly<Record<string, Source>>,
): string[] {
  const settings = shownSettings(config, origins, (name) => sources[name] ?? 'default');
  const rows = settings.map(({ variable, value, isSecret, source }): [string, string, string] => {
    if (!isSecret) return [variable, value ?? '-', source];
    if (source === 'default') return [variable, '-', source];
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
