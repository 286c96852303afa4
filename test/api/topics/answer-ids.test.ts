/** A client that names the answers that it received gets everything else again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  callLog,
  committedOf,
  type LogMessage,
  produceTo,
} from '../../support/clients/log-client.js';
import { basic, freePort, ServerProcess } from '../../support/program/server-process.js';
import { startServer, type TestServer } from '../../support/server.js';

const earliest = { 'Stream-Auto-Offset-Reset': 'earliest' };

describe('a client that names the last answer that it received', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer();
  });

  afterAll(() => server.remove());

  /** One answer with the values of at most two records, and its id. */
  async function consume(place: string, received: string | null) {
    const headers: Record<string, string> = received === null ? {} : { 'Stream-Ack-Id': received };
    const answer = await callLog(
      server,
      `/consume/${place}`,
      { topic: place.split('/')[0], timeout: 0, maxRecords: 2 },
      { ...earliest, ...headers },
    );
    expect(answer.status).toBe(200);
    const values = (answer.body as LogMessage[]).map(({ value }) => value);
    return { values, id: answer.headers.get('stream-ack-id') ?? '' };
  }

  it('gets the following records again, until it names an answer with them', async () => {
    await produceTo(server, 'again', 0, 'a', 'b', 'c', 'd', 'e');
    expect((await consume('again/1', 'none')).values).toEqual(['a', 'b']);
    const first = await consume('again/1', 'none');
    expect(first.values).toEqual(['a', 'b']);
    expect((await consume('again/1', first.id)).values).toEqual(['c', 'd']);
    expect(await committedOf(server, 'again', 'again')).toMatchObject([2, -1, -1]);
    const second = await consume('again/1', first.id);
    expect(second.values).toEqual(['c', 'd']);
    expect((await consume('again/1', second.id)).values).toEqual(['e']);
  });

  it('has acknowledged what it names, even after calls that named nothing', async () => {
    await produceTo(server, 'mixed', 0, 'a', 'b', 'c', 'd');
    const first = await consume('mixed/1', null);
    const second = await consume('mixed/1', first.id);
    expect([first.values, second.values]).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect((await consume('mixed/1', null)).values).toEqual([]);
    expect(await committedOf(server, 'mixed', 'mixed')).toMatchObject([4, -1, -1]);
  });

  it('leaves what it has not received to other instances when it is deleted', async () => {
    await produceTo(server, 'left', 0, 'a', 'b', 'c', 'd');
    const first = await consume('left/1', 'none');
    await consume('left/1', first.id);
    const headers = { 'Stream-Ack-Id': first.id };
    expect((await callLog(server, '/delete-consumer/left/1', [], headers)).status).toBe(200);
    expect((await consume('left/2', 'none')).values).toEqual(['c', 'd']);
  });

  it('commits by /commit what it names, and everything written if it names nothing', async () => {
    await produceTo(server, 'stored', 0, 'a', 'b', 'c', 'd');
    const first = await consume('stored/1', 'none');
    const second = await consume('stored/1', first.id);
    const commit = async (headers: Record<string, string>) => {
      expect((await callLog(server, '/commit/stored/1', [], headers)).status).toBe(200);
      return (await committedOf(server, 'stored', 'stored'))[0];
    };
    expect(await commit({ 'Stream-Ack-Id': second.id })).toBe(4);
    await produceTo(server, 'stored', 0, 'e');
    await consume('stored/1', second.id);
    expect(await commit({ 'Stream-Ack-Id': second.id })).toBe(4);
    await consume('stored/1', second.id);
    expect(await commit({})).toBe(5);
  });

  it('does not count as having everything after the interval of auto commit', async () => {
    await produceTo(server, 'late', 0, 'a', 'b');
    const quick = { ...earliest, 'Stream-Auto-Commit-Interval': '1', 'Stream-Ack-Id': 'none' };
    await callLog(server, '/consume/late/1', { topic: 'late', timeout: 0 }, quick);
    // Another instance waits for records that never come, during many intervals of the first one.
    await callLog(server, '/consume/other/1', { topic: 'other', timeout: 300 });
    expect(await committedOf(server, 'late', 'late')).toMatchObject([-1, -1, -1]);
  });

  it('is refused with an invalid id', async () => {
    for (const path of ['/consume/x/1', '/commit/x/1', '/delete-consumer/x/1']) {
      const body = path.startsWith('/consume') ? { topic: 'x' } : [];
      const answer = await callLog(server, path, body, { 'Stream-Ack-Id': 'a b' });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        error: 'the header Stream-Ack-Id must be the id of an answer, or none',
      });
    }
  });
});

it('what no call has named comes again after a kill, with the old id', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-answer-ids-'));
  const port = await freePort();
  let server = await ServerProcess.start(folder, port);
  const call = async (path: string, body: unknown, received = 'none') => {
    const headers = { authorization: basic, ...earliest, 'stream-ack-id': received };
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    const values = ((await response.json()) as LogMessage[]).map(({ value }) => value);
    return { values, id: response.headers.get('stream-ack-id') ?? '' };
  };
  const consume = (received: string) =>
    call('/consume/g/1', { topic: 't', timeout: 0, maxRecords: 2 }, received);
  const records = ['a', 'b', 'c', 'd'].map((value) => ({ value, partition: 0 }));
  await call('/produce/t', records);
  const first = await consume('none');
  expect((await consume(first.id)).values).toEqual(['c', 'd']);
  await server.kill();
  server = await ServerProcess.start(folder, port);
  const again = await consume(first.id);
  expect(again.values).toEqual(['c', 'd']);
  expect((await consume(again.id)).values).toEqual([]);
  await server.kill();
  await rm(folder, { recursive: true, force: true });
}, 120_000);
