/** `stepwell dev`: the server for a developer's machine, found by SDKs in development mode. */
import { Command } from 'commander';
import { nodeDisk } from '../../storage/disk/node-disk.js';
import {
  ConfigurationError,
  listensOnLoopback,
  readConfiguration,
} from '../server/configuration/config.js';
import { type Credentials, developmentCredentials } from '../server/credentials/credentials.js';
import { descriptorLimit, shareDescriptors } from '../server/lifecycle/descriptors.js';
import { type DataDirOption, dataDirOption, givenSettings } from './folder-option.js';
import { prepareDataFolder } from './owned-folder.js';

/** Where SDKs in development mode look for a server. */
const developmentPort = '8080';

export function devCommand(): Command {
  return new Command('dev')
    .description("run the server with the SDKs' published development credentials, on loopback")
    .addOption(dataDirOption())
    .action(dev);
}

async function dev(options: DataDirOption): Promise<void> {
  const configuration = readConfiguration(undefined, 'dev', givenSettings(options));
  const { config } = configuration;
  if (!listensOnLoopback(config.host)) {
    throw new ConfigurationError([
      'STEPWELL_HOST must be a loopback address for dev: everybody knows its credentials',
    ]);
  }
  // Before the server is loaded: its modules are many files at once.
  shareDescriptors(descriptorLimit(), config);
  await prepareDataFolder(config.dataDirectory, nodeDisk);
  const opened = developmentCredentials(config);
  const { serve } = await import('./serve.js');
  await serve(configuration, opened, (url) => environmentLines(opened.credentials, url));
}

/** What a client needs, as lines for an `.env` file or a shell. */
function environmentLines(credentials: Credentials, url: string): string[] {
  const { port } = new URL(url);
  return [
    'For development. These credentials are public:',
    'QSTASH_DEV=true',
    ...(port === developmentPort ? [] : [`QSTASH_DEV_PORT=${port}`]),
    `QSTASH_URL=${url}`,
    `QSTASH_TOKEN=${credentials.tokens.join(',')}`,
    `QSTASH_CURRENT_SIGNING_KEY=${credentials.currentSigningKey}`,
    `QSTASH_NEXT_SIGNING_KEY=${credentials.nextSigningKey}`,
    `STEPWELL_REST_USERNAME=${credentials.restUsername}`,
    `STEPWELL_REST_PASSWORD=${credentials.restPassword}`,
  ];
}
