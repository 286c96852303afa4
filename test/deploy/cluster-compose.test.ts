/** The compose file of a cluster: its settings, with ports of this machine, start three nodes. */
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PostgresPair } from '../cluster/server-cluster.js';
import { leave } from '../support/leftovers.js';
import { describeWithPostgres } from '../support/program/postgres.js';
import { freePort, ServerProcess } from '../support/program/server-process.js';

const file = join(import.meta.dirname, '../../deploy/cluster/compose.yaml');

interface Node {
  readonly environment: Readonly<Record<string, string>>;
  readonly ports: readonly string[];
  readonly volumes: readonly string[];
}

/** Its services, where the variables have these values. */
function nodesWith(values: Readonly<Record<string, string>>): Readonly<Record<string, Node>> {
  const text = readFileSync(file, 'utf8').replace(/\$\{(\w+):\?[^}]*\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the file asks for ${name}`);
    return value;
  });
  return parse(text, { merge: true }).services;
}

const values = {
  STEPWELL_CLUSTER_SECRET: 'secret-of-all-the-nodes',
  STEPWELL_TOKEN: 'token-of-the-cluster',
  STEPWELL_REST_USERNAME: 'reader',
  STEPWELL_REST_PASSWORD: 'password-of-the-cluster',
  STEPWELL_CURRENT_SIGNING_KEY: 'current-key-of-all-nodes',
  STEPWELL_NEXT_SIGNING_KEY: 'next-key-of-all-the-nodes',
};

it('gives each node a volume, a port and an address of its own', () => {
  const nodes = nodesWith({ ...values, STEPWELL_COMMIT_LOG: 'postgres://db/stepwell' });
  expect(Object.keys(nodes)).toHaveLength(3);
  for (const [name, { environment, ports, volumes }] of Object.entries(nodes)) {
    expect(environment['STEPWELL_CLUSTER_URL']).toBe(`http://${name}:7070`);
    expect(volumes).toEqual([`${name}:/data`]);
    expect(ports).toEqual([`127.0.0.1:808${name.at(-1)}:8080`]);
  }
});

describeWithPostgres('nodes with the settings of the compose file', () => {
  it('answer for each other, and another one takes over from the owner', async () => {
    const pair = await PostgresPair.create();
    const nodes = nodesWith({ ...values, STEPWELL_COMMIT_LOG: pair.url });
    const servers: ServerProcess[] = [];
    for (const { environment } of Object.values(nodes)) {
      const folder = await mkdtemp(join(tmpdir(), 'stepwell-node-'));
      leave(folder);
      const listening = environment['STEPWELL_CLUSTER_LISTEN'] ?? '';
      const address = listening.replace('0.0.0.0:7070', `127.0.0.1:${await freePort()}`);
      expect(address).not.toBe(listening);
      const settings = {
        ...environment,
        STEPWELL_CLUSTER_LISTEN: address,
        STEPWELL_CLUSTER_URL: `http://${address}`,
      };
      servers.push(await ServerProcess.start(folder, await freePort(), settings));
    }
    const [owner, second, third] = servers;
    const isOwner = servers.map(async (server) => {
      return (await (await ask(server, '/health/ready')).text()).includes('"serving"');
    });
    expect(await Promise.all(isOwner)).toEqual([true, false, false]);
    const published = await ask(second, '/v2/publish/https://example.com', {
      method: 'POST',
      body: 'hello',
      headers: { 'Upstash-Delay': '1h' },
    });
    expect(published.status).toBe(200);
    const { messageId } = (await published.json()) as { messageId: string };
    await owner?.kill();
    const found = await ask(third, `/v2/messages/${messageId}`);
    expect(found.status).toBe(200);
    await Promise.all([second?.kill(), third?.kill()]);
    await pair.end();
  }, 120_000);
});

async function ask(
  server: ServerProcess | undefined,
  path: string,
  { headers = {}, ...request }: RequestInit & { headers?: Record<string, string> } = {},
): Promise<Response> {
  const authorization = `Bearer ${values.STEPWELL_TOKEN}`;
  return await fetch(`${server?.url}${path}`, {
    ...request,
    headers: { authorization, ...headers },
  });
}
