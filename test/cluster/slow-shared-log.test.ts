import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PostgresLog } from '../../src/cluster/postgres/postgres-log.js';
import { serves, TestCluster, until } from '../support/cluster/test-cluster.js';
import { describeWithPostgres, PostgresServer } from '../support/program/postgres.js';

describeWithPostgres('a node whose PostgreSQL stands still', () => {
  let postgres: PostgresServer;
  const cluster = new TestCluster();

  beforeAll(async () => {
    postgres = await PostgresServer.create();
  }, 60_000);

  afterAll(async () => {
    postgres.signal('CONT');
    await cluster.remove();
    await postgres.kill();
  }, 60_000);

  it('refuses new work, and keeps accepted work and the outcomes of attempts', async () => {
    const attempts: ServerResponse[] = [];
    const sink = createServer((_request, response) => attempts.push(response));
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
    const { port } = sink.address() as AddressInfo;
    const commitLog = new PostgresLog({ urls: [postgres.url], shard: 'main' });
    const node = await cluster.start({ ports: { commitLog } });
    await serves(node);
    const ask = (method: string, path: string, body: Buffer | null = null, delay = '10h') => {
      const headers = { authorization: node.bearer, 'svc-delay': delay };
      return fetch(`${node.url}${path}`, { method, headers, body });
    };
    const publish = (body: Buffer, delay?: string) =>
      ask('POST', `/v2/publish/http://127.0.0.1:${port}`, body, delay);
    const published = await publish(Buffer.from('runs'), '0s');
    const { messageId } = (await published.json()) as { readonly messageId: string };
    await until(() => attempts.length === 1);

    postgres.signal('STOP');
    const answers: Promise<Response>[] = [];
    let refused: Response | null = null;
    const send = (body: Buffer) => {
      const answer = publish(body).then((response) => {
        if (response.status === 503) refused ??= response;
        return response;
      });
      answers.push(answer);
    };
    // The first to wait: it is accepted, as nothing has been unacknowledged for long by then.
    send(Buffer.from('early'));
    attempts[0]?.end();
    send(Buffer.alloc(9_000_000, 'a'));
    await until(() => {
      if (refused === null) send(Buffer.from('small'));
      return refused !== null;
    });
    const { status, headers } = refused as unknown as Response;
    expect([status, headers.get('retry-after')]).toEqual([503, '2']);

    postgres.signal('CONT');
    const statuses = await Promise.all(answers.map(async (answer) => (await answer).status));
    // Accepted work is done, and the rest was refused.
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    await until(async () => (await ask('GET', `/v2/messages/${messageId}`)).status === 404);
    expect(attempts).toHaveLength(1);
    expect(node.failures).toEqual([]);
    sink.close();
  }, 60_000);
});
