/** `stepwell keys`: the keys that sign deliveries. */
import { Command } from 'commander';
import { publishedKeys } from '../../server/credentials/published-keys.js';
import { type ClientOptions, clientCommand, connect } from '../client/client-command.js';
import type { ApiObject } from '../connect/api-client.js';
import type { Output } from '../output/output.js';
import { printError } from '../output/terminal.js';

/**
 * Prints secrets in clear; for people, as lines for an application's environment, which `stepwell
 * env` prints for a file.
 */
export function keysCommand(): Command {
  const keys = new Command('keys').description('the keys that sign deliveries');
  keys.addCommand(
    clientCommand('show', 'print the current and the next key', [
      'stepwell keys show',
      'stepwell keys show --json | jq -r .current',
    ]).action(show),
  );
  keys.addCommand(
    clientCommand('rotate', 'make the next key the current one, and create a new next key', [
      'stepwell keys rotate',
    ]).action(rotate),
  );
  return keys;
}

async function show(options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  await print(await api.get('/v2/keys'), output);
}

async function rotate(options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const before = await api.get('/v2/keys');
  await print(await api.post('/v2/keys/rotate'), output);
  if (before['current'] === publishedKeys.currentSigningKey) printError(afterPublished);
}

const afterPublished =
  'SDKs with QSTASH_DEV=true know only the published keys, and no longer find this server; ' +
  'a new data folder has them again';

/** Prints them as lines for an application's environment; receivers try both keys. */
async function print(keys: ApiObject, output: Output): Promise<void> {
  await output.one(keys, () => [
    `QSTASH_CURRENT_SIGNING_KEY=${String(keys['current'])}`,
    `QSTASH_NEXT_SIGNING_KEY=${String(keys['next'])}`,
  ]);
}
