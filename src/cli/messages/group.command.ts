/** `stepwell group`: URL groups; publishing to a group sends a message to each of its endpoints. */
import { Command } from 'commander';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { type ClientOptions, clientCommand, connect } from '../client/client-command.js';
import type { ApiObject } from '../connect/api-client.js';
import { itemsIn } from '../connect/api-object.js';
import { ClientError } from '../connect/client-errors.js';
import { pathPart } from '../connect/path-part.js';
import { fieldColumn } from '../output/columns.js';
import type { TableColumn } from '../output/table.js';

/** Uses `/v2/topics` of a running server, which is the API's name for URL groups. */
export function groupCommand(): Command {
  const group = new Command('group').description('URL groups');
  group.addCommand(clientCommand('ls', 'list groups', ['stepwell group ls']).action(list));
  group.addCommand(
    clientCommand('add', 'add endpoints to a group, and create it if needed', [
      'stepwell group add billing https://a.example/hook https://b.example/hook',
      'stepwell group add billing https://c.example/hook --name audit',
    ])
      .argument('<group>')
      .argument('<url...>')
      .option(
        '--name <name>',
        'the name of the endpoint; an endpoint with this name gets the new URL',
      )
      .action(add),
  );
  group.addCommand(
    clientCommand('remove', 'remove endpoints; a group without endpoints is deleted', [
      'stepwell group remove billing https://a.example/hook',
      'stepwell group remove billing audit',
    ])
      .argument('<group>')
      .argument('<url...>', 'URLs or names of endpoints')
      .action(remove),
  );
  group.addCommand(
    clientCommand('delete', 'delete a group', ['stepwell group delete billing'])
      .argument('<group>')
      .action(drop),
  );
  return group;
}

interface Endpoint {
  readonly url: string;
  readonly name?: string;
}

const columns: readonly TableColumn<ApiObject>[] = [
  fieldColumn('group', 'name'),
  {
    title: 'endpoints',
    text: (group) =>
      itemsIn<Endpoint>(group, 'endpoints')
        .map(({ url, name }) => (name === undefined ? url : `${name}=${url}`))
        .join(', '),
    yields: true,
  },
];

async function list(options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const groups = await api.get<readonly ApiObject[]>('/v2/topics');
  await output.rows(groups, columns, 'no URL group; stepwell group add NAME URL creates one');
}

async function add(
  group: string,
  urls: readonly string[],
  options: ClientOptions & { readonly name?: string },
): Promise<void> {
  const { api, output } = await connect(options);
  const { name } = options;
  if (name !== undefined && urls.length > 1) {
    throw new ClientError('--name is for one endpoint; give one URL', exitCodes.usage);
  }
  const endpoints = urls.map((url) => (name === undefined ? { url } : { url, name }));
  await api.post(`/v2/topics/${pathPart(group)}/endpoints`, { body: { endpoints } });
  await output.one({ name: group, endpoints }, () => [`added ${urls.join(', ')} to ${group}`]);
}

async function remove(
  group: string,
  urls: readonly string[],
  options: ClientOptions,
): Promise<void> {
  const { api, output } = await connect(options);
  const endpoints = urls.map((url) => (URL.canParse(url) ? { url } : { name: url }));
  await api.delete(`/v2/topics/${pathPart(group)}/endpoints`, { body: { endpoints } });
  await output.one({ name: group, removed: urls }, () => [
    `removed ${urls.join(', ')} from ${group}`,
  ]);
}

async function drop(group: string, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const path = `/v2/topics/${pathPart(group)}`;
  // The API also confirms deleting a group that does not exist, as the SDKs expect (messaging.md
  // 6). So check first.
  await api.get(path);
  await api.delete(path);
  await output.one({ name: group, deleted: true }, () => [`deleted ${group}`]);
}
