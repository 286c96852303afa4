/** `stepwell keys`: the keys that deliveries are signed with. */
import { Command } from 'commander';
import { type ClientOptions, clientCommand, connect } from '../client/client-command.js';
import type { ApiObject } from '../connect/api-client.js';
import type { Output } from '../output/output.js';

export function keysCommand(): Command {
  const keys = new Command('keys').description('the keys that deliveries are signed with');
  keys.addCommand(clientCommand('show', 'print the current and the next key').action(show));
  keys.addCommand(
    clientCommand('rotate', 'make the next key the current one, and a new next').action(rotate),
  );
  return keys;
}

async function show(options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  await print(await api.get('/v2/keys'), output);
}

async function rotate(options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  await print(await api.post('/v2/keys/rotate'), output);
}

/** As lines for an application's environment; receivers try both. */
async function print(keys: ApiObject, output: Output): Promise<void> {
  await output.one(keys, () => [
    `QSTASH_CURRENT_SIGNING_KEY=${String(keys['current'])}`,
    `QSTASH_NEXT_SIGNING_KEY=${String(keys['next'])}`,
  ]);
}
