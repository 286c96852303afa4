import { once } from 'node:events';
import { connect } from 'node:net';
import { version } from '../../src/grammar/version.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { answered } from '../support/program/client-program.js';
import { describeWithPostgres, PostgresServer } from '../support/program/postgres.js';
import { authorization, token } from '../support/program/server-process.js';
import { type ClusterServer, ServerCluster } from './server-cluster.js';

const credentials = { restUsername: 'test', restPassword: 'password-of-the-tests' };
const said = (node: ClusterServer, ...words: string[]) =>
  answered({ url: node.url, token, credentials }, ['cluster', ...words]);

/** The followers that the owner has heard, once it has heard one. */
async function followersOf(owner: ClusterServer): Promise<unknown> {
  for (;;) {
    const [asked] = await said(owner, 'status');
    const heard = asked?.['followers'];
    if (!Array.isArray(heard) || heard.length > 0) return heard;
  }
}

describeWithPostgres('stepwell cluster', () => {
  let cluster: ServerCluster;

  beforeAll(async () => {
    const server = await PostgresServer.create();
    cluster = await ServerCluster.create(2, { url: server.url, end: () => server.kill() });
  }, 120_000);

  afterAll(() => cluster.end(), 60_000);

  it('reports at the start of each node what an acknowledgement means', () => {
    for (const { process } of cluster.nodes) {
      expect(process?.output).toContain('an acknowledgement means: in the shared log');
    }
  });

  it('shows the state of each node, and makes another node take over', async () => {
    const owner = await cluster.owner();
    const follower = cluster.nodes.find((node) => node !== owner) ?? owner;
    const [owning] = await said(owner, 'status');
    expect(owning).toMatchObject({ role: 'owner', version, owner: owning?.['node'] });
    // The follower learns of the owner from the next entry that it reads.
    let [following] = await said(follower, 'status');
    while (following?.['owner'] === null) [following] = await said(follower, 'status');
    expect(following).toMatchObject({
      role: 'follower',
      owner: owning?.['node'],
      followers: null,
    });
    // The owner hears of its followers from themselves.
    const heard = await followersOf(owner);
    const numbers = { behind: expect.any(Number), heardMsAgo: expect.any(Number) };
    expect(heard).toEqual([{ node: following?.['node'], version, ...numbers }]);
    const behind = new RegExp(
      `stepwell_cluster_follower_behind\\{node="${following?.['node']}"\\} \\d`,
    );
    expect(await (await fetch(`${owner.url}/metrics`)).text()).toMatch(behind);
    expect(await (await fetch(`${follower.url}/metrics`)).text()).not.toMatch(behind);

    // Any node accepts the command and forwards it to the owner.
    await said(follower, 'handover', '--yes');
    expect(await cluster.owner(owner)).toBe(follower);
    while (owner.process?.child.exitCode === null) await new Promise((go) => setTimeout(go, 20));
    expect(owner.process?.child.exitCode).toBe(75);
    const [taken] = await said(follower, 'status');
    expect(taken).toMatchObject({ role: 'owner', epoch: Number(owning?.['epoch']) + 1 });
  }, 60_000);

  it('answers while its attempts end, and disconnects a client that delays the end', async () => {
    for (const node of cluster.nodes) await node.revive();
    const owner = await cluster.owner();
    const follower = cluster.nodes.find((node) => node !== owner) ?? owner;
    await followersOf(owner);
    let answer = (): void => undefined;
    const endpoint = await RecordingEndpoint.start(async ({ url }) => {
      if (url === '/held') await new Promise<void>((resolve) => (answer = resolve));
      return {};
    });
    const publish = (path: string) =>
      follower.ask('POST', `/v2/publish/${endpoint.url}${path}`, { body: 'x', withinMs: 10_000 });
    expect(await publish('/held')).toMatchObject({ status: 200 });
    await endpoint.received(1);
    const slow = connect(Number(new URL(owner.url).port), '127.0.0.1');
    const head = ['POST /v2/publish/http://a.example HTTP/1.1', 'Host: here', 'Content-Length: 9'];
    slow.write(`${[...head, `Authorization: ${authorization}`].join('\r\n')}\r\n\r\nslow`);
    const isCut = once(slow.on('error', () => undefined).resume(), 'close');
    await said(follower, 'handover', '--yes');
    for (let times = 0; times < 5; times += 1) {
      expect(await publish('/after')).toMatchObject({ status: 200 });
    }
    expect(await owner.isServing()).toBe(true);
    answer();
    expect(await cluster.owner(owner)).toBe(follower);
    await isCut;
    // Messages published while the previous owner still answered are delivered by the next owner.
    await endpoint.received(6);
    await endpoint.stop();
  }, 60_000);
});
