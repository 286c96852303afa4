import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer();
  endpoint = await RecordingEndpoint.start();
  endpoint.answerInTurn({ status: 404 });
});

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
});

const api = (method: string, path: string, body?: string) =>
  callApi(
    server,
    method,
    path,
    body === undefined ? {} : { 'content-type': 'application/json' },
    body,
  );

/** The ids of so many letters, the oldest first, as they are made and as they were made before. */
async function fail(count: number): Promise<{ marked: string[]; unmarked: string[] }> {
  await api('DELETE', '/v2/dlq');
  for (let index = 0; index < count; index += 1) {
    await callApi(server, 'POST', `/v2/publish/${endpoint.url}`, { 'svc-retries': '0' }, 'x');
  }
  for (;;) {
    const { body } = await api('GET', '/v2/dlq?order=earliestFirst');
    const { messages } = body as { messages: { dlqId: string }[] };
    const marked = messages.map(({ dlqId }) => dlqId);
    if (marked.length === count) {
      return { marked, unmarked: marked.map((id) => id.replace(/s00$/, '')) };
    }
    await pause();
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

const left = async () => {
  const { body } = await api('GET', '/v2/dlq?order=earliestFirst');
  return (body as { messages: { dlqId: string }[] }).messages.map(({ dlqId }) => dlqId);
};

describe('a dead letter’s id without the mark of its shard', () => {
  it('shows the letter under its whole id', async () => {
    const { marked, unmarked } = await fail(1);
    expect(marked[0]).toMatch(/^\d{13}-\d+s00$/);
    const shown = await api('GET', `/v2/dlq/${unmarked[0]}`);
    expect(shown).toMatchObject({ status: 200, body: { dlqId: marked[0] } });
    const found = await api('GET', `/v2/dlq?dlqIds=${unmarked[0]}`);
    expect(found.body).toMatchObject({ messages: [{ dlqId: marked[0] }] });
  });

  it('deletes it, once, and for good', async () => {
    const { marked, unmarked } = await fail(2);
    expect((await api('DELETE', `/v2/dlq/${unmarked[0]}`)).body).toEqual({ deleted: 1 });
    expect((await api('DELETE', `/v2/dlq/${marked[0]}`)).status).toBe(404);
    await server.stop();
    server = await startServer({ dataDirectory: server.dataDirectory });
    expect(await left()).toEqual([marked[1]]);
  });

  it('tries it again', async () => {
    const { marked, unmarked } = await fail(1);
    const answer = await api('POST', `/v2/dlq/retry/${unmarked[0]}`);
    expect(answer).toMatchObject({
      status: 201,
      body: { messageId: expect.stringMatching(/^msg_/) },
    });
    expect((await api('GET', `/v2/dlq/${marked[0]}`)).status).toBe(404);
    // It fails again: later, its letter would be counted among those of the next test.
    while ((await left()).length === 0) await pause();
  });

  it('means the same letter in a bulk action, and in a job', async () => {
    const { marked, unmarked } = await fail(3);
    const body = JSON.stringify({ dlqIds: [unmarked[0], marked[0]] });
    expect((await api('DELETE', '/v2/dlq', body)).body).toEqual({ deleted: 1 });
    const job = { verb: 'delete', over: 'deadLetters', filter: { dlqIds: [unmarked[2]] } };
    const dry = await api('POST', '/v2/jobs', JSON.stringify({ ...job, dryRun: true }));
    expect(dry.body).toMatchObject({ matched: 1, items: [marked[2]] });
    expect(await left()).toEqual(marked.slice(1));
  });
});
