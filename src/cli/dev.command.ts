/** `stepwell dev`: the server for a developer's machine, found by SDKs in development mode. */
import { Command } from 'commander';
import { nodeDisk } from '../../storage/node-disk.js';
import { ConfigurationError, listensOnLoopback, readConfiguration } from '../config.js';
import { developmentCredentials } from '../credentials.js';
import { prepareDataFolder } from './owned-folder.js';
import { say } from './terminal.js';

export function devCommand(): Command {
  return new Command('dev')
    .description("run the server with the SDKs' published development credentials, on loopback")
    .action(dev);
}

async function dev(): Promise<void> {
  const { config } = readConfiguration(undefined, { dialect: 'upstash' });
  if (!listensOnLoopback(config.host)) {
    throw new ConfigurationError([
      'STEPWELL_HOST must be a loopback address for dev: everybody knows its credentials',
    ]);
  }
  await prepareDataFolder(config.dataDirectory, nodeDisk);
  const { credentials } = developmentCredentials(config);
  say('Development credentials, known to everybody:');
  say(`QSTASH_URL=http://${config.host}:${config.port}`);
  say(`QSTASH_TOKEN=${credentials.tokens.join(',')}`);
  say(`QSTASH_CURRENT_SIGNING_KEY=${credentials.currentSigningKey}`);
  say(`QSTASH_NEXT_SIGNING_KEY=${credentials.nextSigningKey}`);
  const { serve } = await import('./serve.js');
  await serve(config, credentials);
}
