import type { ApiObject } from '../../../src/cli/connect/api-object.js';
import { headersOf } from '../../../src/cli/output/columns.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { answered, runClient } from '../../support/program/client-program.js';
import { runProgram } from '../../support/program/program.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer();
  endpoint = await RecordingEndpoint.start(() => ({ status: 200 }));
});
afterAll(async () => {
  await endpoint.stop();
  await server.remove();
});

it('a header given twice arrives with both values', async () => {
  const headers = ['-H', 'X-Tag: a', '-H', 'x-tag: b', '-H', 'X-Empty:'];
  await answered(server, ['msg', 'publish', `${endpoint.url}/twice`, ...headers, '--watch']);
  const { headers: come } = endpoint.requests.find(({ url }) => url === '/twice') ?? {};
  expect(come).toMatchObject({ 'x-tag': 'a, b', 'x-empty': '' });
});

it('a header arrives as UTF-8 and is shown as text', async () => {
  const words = ['msg', 'publish', `${endpoint.url}/utf8`, '-H', 'X-Price: 1 €, dražší'];
  const [published] = await answered(server, [...words, '--watch']);
  const { headers: come } = endpoint.requests.find(({ url }) => url === '/utf8') ?? {};
  const bytes = Buffer.from('1 €, dražší').toString('latin1');
  expect(come).toMatchObject({ 'x-price': bytes });
  // The API shows one character per byte, so that the value can be sent again unchanged.
  const path = `/v2/messages/${published?.['messageId']}?final=true`;
  const { body } = await callApi(server, 'GET', path);
  expect(body).toMatchObject({ header: { 'X-Price': [bytes] } });
  expect(headersOf(body as ApiObject)).toContain('X-Price: 1 €, dražší');
});

it.each([
  ['-H', 'no colon', 'Write a header as "Name: value".'],
  ['-H', ': no name', 'Write a header as "Name: value".'],
  ['-H', 'no token: 1', 'Write a header as "Name: value".'],
  ['-H', 'X-Price: 1\u0001', 'the header svc-forward-X-Price would contain a character'],
  ['-H', 'Größe: 1', 'svc-forward-Größe is not a header name'],
  ['--label', '€', 'the header svc-label would contain a character'],
  ['--dialect', 'upstsh', 'Allowed choices are svc, upstash.'],
])('%s %j is a wrong command line, and nothing is published', async (option, value, said) => {
  const before = endpoint.requests.length;
  const words = ['msg', 'publish', `${endpoint.url}/wrong`, option, value];
  const { code, stdout, stderr } = await runClient(server, words);
  expect([code, stdout, stderr]).toEqual([64, '', expect.stringContaining(said)]);
  expect(endpoint.requests.length).toBe(before);
});

it('an unknown dialect in the environment is refused like one in an option', async () => {
  const words = ['msg', 'publish', endpoint.url, '--delay', '1h', '--url', server.url];
  const { code, stderr } = await runProgram('/nowhere', words, { STEPWELL_DIALECT: 'upstsh' });
  expect(stderr).toContain('STEPWELL_DIALECT upstsh is not one of svc, upstash');
  expect(code).toBe(64);
});

it('sched create offers no option that a schedule cannot have', async () => {
  const { stdout } = await runClient(server, ['sched', 'create', '--help']);
  expect(stdout).toContain('--delay');
  expect(stdout).not.toMatch(/--not-before|--dedup-id/);
});
