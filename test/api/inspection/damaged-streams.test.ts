/** Streams over a journal in which one record has rotted: their clients come to its other side. */
import { callApi } from '../../support/clients/api-call.js';
import { EventSource } from '../../support/clients/event-source.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { flipByteOf } from '../../support/program/flipped-byte.js';
import { startServer, type TestServer } from '../../support/server.js';

/** More than the server keeps at hand of what it has read. */
const fillers = 4;
const fillerBytes = 9_000_000;

let server: TestServer;
let endpoint: RecordingEndpoint;
let runId = '';

async function post(path: string, headers: Record<string, string>, body: string) {
  const answer = await callApi(server, 'POST', path, headers, body);
  expect(answer.status).toBe(200);
  return answer.body as Record<string, string>;
}

const damage = (text: string) => flipByteOf(text, server.dataDirectory);

beforeAll(async () => {
  endpoint = await RecordingEndpoint.start();
  server = await startServer();
  await post('/v2/publish/http://127.0.0.1:19999/', { 'svc-delay': '1h' }, 'before');
  const path = '/v2/trigger/http://127.0.0.1:19999/run';
  runId = (await post(path, { 'svc-delay': '1h' }, 'the payload of it.'))['workflowRunId'] ?? '';
  for (let at = 0; at < fillers; at += 1) {
    // What was delivered is not kept.
    const headers = { 'svc-delay': '9s' };
    await post(`/v2/publish/${endpoint.url}/filler`, headers, 'x'.repeat(fillerBytes));
  }
  await damage('the payload of it.');
}, 60_000);

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
});

const open = (path: string, lastId = '', authorization = server.bearer) =>
  EventSource.open(`${server.url}${path}`, { authorization }, lastId);

it('a live stream that cannot read what was missed has its client look again', async () => {
  const stream = await open('/v2/live?kinds=message', '0');
  expect((await stream.next())?.type).toBe('reload');
  await post(`/v2/publish/${endpoint.url}/later`, { 'svc-delay': '1h' }, 'x');
  expect(JSON.parse((await stream.next())?.data ?? '')).toMatchObject({ state: 'CREATED' });
  stream.cut();
});

it('the stream of a run whose rows cannot be read says so', async () => {
  const stream = await open(`/v2/workflows/runs/${runId}/stream`);
  const { type, data } = (await stream.next()) ?? { type: '', data: '{}' };
  expect(type).toBe('error');
  const error = expect.stringMatching(/^data on the disk is damaged and cannot be read: logs/);
  expect(JSON.parse(data)).toEqual({ error });
  expect(await stream.next()).toBeNull();
});

it('the stream of the journal sends what is before damage, and says where to go on', async () => {
  const before: string[] = [];
  const stream = await open('/admin/journal?from=0', '', server.basic);
  let event = await stream.next();
  for (; event?.type === 'message'; event = await stream.next()) before.push(event.data);
  expect(before.join()).toContain('MessagePublished');
  expect(event?.type).toBe('error');
  const { code, nextGoodOffset } = JSON.parse(event?.data ?? '');
  expect(code).toBe('DATA_DAMAGED');
  expect(await stream.next()).toBeNull();
  const behind = await open(`/admin/journal?from=${nextGoodOffset}`, '', server.basic);
  expect(JSON.parse((await behind.next())?.data ?? '')).toMatchObject({ offset: nextGoodOffset });
  behind.cut();
});
