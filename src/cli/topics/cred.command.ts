/** `stepwell cred`: credentials that may produce to topics or consume from them. */
import { Command } from 'commander';
import {
  type ClientOptions,
  clientCommand,
  connect,
  wordOption,
} from '../client/client-command.js';
import type { ApiObject } from '../connect/api-client.js';
import { pathPart } from '../connect/path-part.js';
import { fieldColumn, textOf } from '../output/columns.js';

const permissions = ['PRODUCE', 'CONSUME', 'ALL'];

/** Uses `/admin/credentials` of a running server. */
export function credCommand(): Command {
  const cred = new Command('cred').description('credentials for topics');
  cred.addCommand(clientCommand('ls', 'list credentials', ['stepwell cred ls']).action(list));
  cred.addCommand(
    clientCommand('create', 'create a credential; its password is shown only now', [
      'stepwell cred create phone --topic "rides*" --permissions PRODUCE',
    ])
      .argument('<name>')
      .requiredOption('--topic <topic>', 'a topic, a prefix such as "rides*", or "*"')
      .addOption(
        wordOption('--permissions <permissions>', 'what it may do', permissions).default('ALL'),
      )
      .action(create),
  );
  cred.addCommand(
    clientCommand('revoke', 'refuse a credential from now on', ['stepwell cred revoke phone'])
      .argument('<name>')
      .action(revoke),
  );
  return cred;
}

async function list(options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const credentials = await api.get<readonly ApiObject[]>('/admin/credentials');
  await output.rows(
    credentials,
    [
      fieldColumn('name', 'name'),
      fieldColumn('username', 'username'),
      fieldColumn('topic', 'topic'),
      fieldColumn('permissions', 'permissions'),
    ],
    'no credential except that of the server',
  );
}

interface CreateOptions extends ClientOptions {
  readonly topic: string;
  readonly permissions: string;
}

async function create(name: string, options: CreateOptions): Promise<void> {
  const { api, output } = await connect(options);
  const { topic, permissions } = options;
  const made = await api.post('/admin/credentials', {
    body: { name, topic, permissions },
  });
  await output.one(made, () => [
    `STEPWELL_REST_USERNAME=${textOf(made, 'username')}`,
    `STEPWELL_REST_PASSWORD=${textOf(made, 'password')}`,
  ]);
}

async function revoke(name: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  await api.delete(`/admin/credentials/${pathPart(name)}`);
  await output.one({ name, revoked: true }, () => [`revoked ${name}`]);
}
