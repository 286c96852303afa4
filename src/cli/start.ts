/** What `stepwell start` does: prepares the data folder, then runs the server. */
import { nodeDisk } from '../../storage/disk/node-disk.js';
import { systemIdentifiers } from '../engine/identifiers.js';
import { openCredentials, pasteLines } from '../server/credentials/credentials.js';
import { refuseWeakSecrets } from '../server/credentials/weak-secrets.js';
import { requireUnmoved } from '../server/development/kept-clock.js';
import { descriptorLimit, shareDescriptors } from '../server/lifecycle/descriptors.js';
import type { DataDirOption } from './folder/folder-option.js';
import { configurationOf, prepareDataFolder, whileOwned } from './folder/owned-folder.js';
import { say } from './output/terminal.js';

/**
 * Runs until the process is asked to stop. Throws `ConfigurationError`, or whatever opening the
 * folder throws. Newly created credentials are shown this once.
 */
export async function start(options: DataDirOption): Promise<void> {
  const configuration = configurationOf(options);
  const { config } = configuration;
  // Before the server is loaded, as loading its modules opens many files at once.
  shareDescriptors(descriptorLimit(), config);
  await prepareDataFolder(config.dataDirectory, nodeDisk);
  await requireUnmoved(nodeDisk, config.dataDirectory);
  const changesNothing = config.readOnly === 'always';
  const opened = await whileOwned(config.dataDirectory, nodeDisk, changesNothing, () =>
    openCredentials(config, nodeDisk, systemIdentifiers, refuseWeakSecrets),
  );
  const made = pasteLines(opened);
  if (made.length > 0) {
    say(`New credentials, kept in ${config.dataDirectory} and shown this once:`);
    for (const line of made) say(line);
  }
  const { serve } = await import('./serve.js');
  await serve(configuration, opened);
}
