import { setTimeout as pause } from 'node:timers/promises';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { answered, runClient } from '../../support/program/client-program.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_LOG_RETENTION: '1s' } });
  endpoint = await RecordingEndpoint.start();
});
afterAll(async () => {
  await endpoint.stop();
  await server.remove();
});

/** Whether the log still shows a row of the message. */
async function isShown(messageId: string): Promise<boolean> {
  const { body } = await callApi(server, 'GET', `/v2/logs?messageId=${messageId}`);
  // The page has the form that openapi.json gives it.
  return (body as { logs: readonly unknown[] }).logs.length > 0;
}

it('msg publish --watch ends if the message is a duplicate whose log has expired', async () => {
  const words = ['msg', 'publish', endpoint.url, '--dedup-id', 'once', '--watch'];
  const [published] = await answered(server, words);
  const id = String(published?.['messageId']);
  while (await isShown(id)) await pause(50);
  const { code, stdout, stderr } = await runClient(server, words);
  expect(JSON.parse(stdout)).toMatchObject({ messageId: id, deduplicated: true });
  expect(stderr).toContain(`${id} has ended, and its log is no longer kept`);
  expect(code).toBe(66);
});
