/** `stepwell start`: the server. */
import { Command } from 'commander';
import { nodeDisk } from '../../storage/node-disk.js';
import { readConfiguration } from '../config.js';
import { openCredentials, pasteLines, refusePublished } from '../credentials.js';
import { systemIdentifiers } from '../engine/identifiers.js';
import { prepareDataFolder, whileOwned } from './owned-folder.js';
import { say } from './terminal.js';

export function startCommand(): Command {
  return new Command('start').description('run the server (default)').action(start);
}

async function start(): Promise<void> {
  const { config } = readConfiguration();
  await prepareDataFolder(config.dataDirectory, nodeDisk);
  const opened = await whileOwned(config.dataDirectory, nodeDisk, () =>
    openCredentials(config, nodeDisk, systemIdentifiers),
  );
  refusePublished(opened.credentials);
  const made = pasteLines(opened);
  if (made.length > 0) {
    say(`New credentials, kept in ${config.dataDirectory} and shown this once:`);
    for (const line of made) say(line);
  }
  const { serve } = await import('./serve.js');
  await serve(config, opened.credentials);
}
