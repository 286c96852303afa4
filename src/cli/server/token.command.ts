/** `stepwell token`: named tokens, each with a role. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseIsoTime } from '../../grammar/iso-time.js';
import { type ClientOptions, clientCommand, connect } from '../client/client-command.js';
import type { ApiObject } from '../connect/api-client.js';
import { pathPart } from '../connect/path-part.js';
import { fieldColumn, textOf, timeColumn } from '../output/columns.js';

const roles = ['read', 'operate', 'admin'];

/** Uses `/admin/tokens` of a running server, which requires the right to administer. */
export function tokenCommand(): Command {
  const token = new Command('token').description('named tokens and their roles');
  token.addCommand(clientCommand('ls', 'list tokens', ['stepwell token ls']).action(list));
  token.addCommand(
    clientCommand('create', 'create a token, which is shown only now', [
      'stepwell token create grafana --role read',
      'stepwell token create deploy --role operate --expires 2027-01-01',
    ])
      .argument('<name>')
      .addOption(new Option('--role <role>', 'what it may do').choices(roles).makeOptionMandatory())
      .option('--expires <time>', 'when it expires (ISO 8601; default: never)', timeOption)
      .action(create),
  );
  token.addCommand(
    clientCommand('revoke', 'revoke a token', ['stepwell token revoke grafana'])
      .argument('<name>')
      .action(revoke),
  );
  return token;
}

async function list(options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const tokens = await api.get<readonly ApiObject[]>('/admin/tokens');
  await output.rows(
    tokens,
    [
      fieldColumn('name', 'name'),
      fieldColumn('role', 'role'),
      timeColumn('made', 'createdAt', api.now),
      timeColumn('expires', 'expiresAt', api.now),
      timeColumn('used', 'lastUsedAt', api.now),
    ],
    'no named token',
  );
}

interface CreateOptions extends ClientOptions {
  readonly role: string;
  /** In Unix ms. */
  readonly expires?: number;
}

async function create(name: string, options: CreateOptions): Promise<void> {
  const { api, output } = await connect(options);
  const { role, expires: expiresAt } = options;
  const made = await api.post('/admin/tokens', { body: { name, role, expiresAt } });
  await output.one(made, () => [`STEPWELL_TOKEN=${textOf(made, 'token')}`]);
}

async function revoke(name: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  await api.delete(`/admin/tokens/${pathPart(name)}`);
  await output.one({ name, revoked: true }, () => [`revoked ${name}`]);
}

function timeOption(text: string): number {
  const at = parseIsoTime(text);
  if (at.ok) return at.value;
  throw new InvalidArgumentError(`It ${at.message}.`);
}
