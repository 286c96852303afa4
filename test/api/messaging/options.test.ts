/** Options of a publish that exceed a limit, or that are unknown. */
import { Client } from '@upstash/qstash';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { silenceConsole } from '../../support/program/silent-console.js';
import { startServer, type TestServer } from '../../support/server.js';

silenceConsole();

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  endpoint = await RecordingEndpoint.start();
  server = await startServer({ environment: { STEPWELL_TIMEOUT: '60s' } });
  const endpoints = JSON.stringify({ endpoints: [{ url: endpoint.url }] });
  await callApi(server, 'POST', '/v2/topics/group/endpoints', {}, endpoints);
});

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
});

type Headers = Readonly<Record<string, string>>;

const later = { 'svc-delay': '1h' };
const schedule = { 'svc-cron': '0 0 1 1 *' };

/**
 * Every route for publishes, with options; each returns the status, the refusal and the warning.
 */
const ways: readonly [
  string,
  (to: TestServer, headers: Headers, body?: string) => Promise<Seen>,
][] = [
  ['publish', (to, ...headers) => seen(to, `/v2/publish/${endpoint.url}`, later, ...headers)],
  ['publish to a group', (to, ...headers) => seen(to, '/v2/publish/group', later, ...headers)],
  ['enqueue', (to, ...headers) => seen(to, `/v2/enqueue/line/${endpoint.url}`, later, ...headers)],
  ['schedule', (to, ...headers) => seen(to, `/v2/schedules/${endpoint.url}`, schedule, ...headers)],
  ['item of a batch', (to, headers, body) => seenInBatch(to, headers, body)],
];

interface Seen {
  readonly status: number;
  readonly error: string | undefined;
  readonly warning: string | null;
}

async function seen(
  to: TestServer,
  path: string,
  always: Headers,
  headers: Headers,
  body = '',
): Promise<Seen> {
  const answer = await callApi(to, 'POST', path, { ...always, ...headers }, body);
  const { error } = answer.body as { readonly error?: string };
  return { status: answer.status, error, warning: answer.headers.get('stepwell-warning') };
}

/**
 * The second of three items, as if it had been published alone: if it is refused, the status is
 * 400.
 */
async function seenInBatch(to: TestServer, headers: Headers, body?: string): Promise<Seen> {
  const fine = { destination: endpoint.url, headers: later };
  const item = { ...fine, headers: { ...later, ...headers }, body };
  const answer = await callApi(to, 'POST', '/v2/batch', {}, JSON.stringify([fine, item, fine]));
  const whole = answer.body as { readonly error?: string };
  const { error } = (answer.status === 200 ? (answer.body as (typeof whole)[])[1] : whole) ?? {};
  const warning = answer.headers.get('stepwell-warning');
  expect([error, warning].filter((each) => each != null)).toEqual(
    [error, warning].filter((each) => each?.startsWith('item 1: ')),
  );
  const isRefused = answer.status === 200 && error !== undefined;
  return {
    status: isRefused ? 400 : answer.status,
    error: error?.slice('item 1: '.length),
    warning: warning?.slice('item 1: '.length) ?? null,
  };
}

describe.each(ways)('%s', (_what, ask) => {
  it('with a timeout above the limit is refused like too many retries', async () => {
    const error = 'Svc-Timeout must be at most 60s';
    expect(await ask(server, { 'svc-timeout': '60s' })).toMatchObject({ status: 200 });
    expect(await ask(server, { 'svc-timeout': '61s' })).toMatchObject({ status: 412, error });
    const callback = { 'svc-callback': endpoint.url, 'svc-callback-timeout': '2m' };
    expect(await ask(server, callback)).toMatchObject({
      status: 412,
      error: 'Svc-Callback-Timeout must be at most 60s',
    });
    expect(await ask(server, { 'svc-retries': '1001' })).toMatchObject({ status: 412 });
  });

  it('of GET with a body is refused, and without one accepted', async () => {
    expect(await ask(server, { 'svc-method': 'get' }, 'lost')).toMatchObject({
      status: 400,
      error: expect.stringContaining('Svc-Method is GET, which carries no body'),
    });
    expect(await ask(server, { 'svc-method': 'GET' })).toMatchObject({ status: 200 });
  });

  it('with a misspelt option is accepted, and its sender is warned', async () => {
    expect(await ask(server, { 'Svc-Retrys': '5' })).toEqual({
      status: 200,
      error: undefined,
      warning: 'unknown option Svc-Retrys; did you mean Svc-Retries?',
    });
    expect(await ask(server, { 'Svc-Zzzzzzzz': '5' })).toMatchObject({
      status: 200,
      warning: 'unknown option Svc-Zzzzzzzz',
    });
    expect(
      (await ask(server, { 'Svc-Retries': '5', 'Svc-Telemetry-Any': 'x' })).warning,
    ).toBeNull();
  });
});

it('a misspelt option in the query of a destination causes a warning, too', async () => {
  const path = `/v2/publish/${endpoint.url}?svc-retrys=5&svc-delay=1h`;
  const { status, headers } = await callApi(server, 'POST', path);
  expect([status, headers.get('stepwell-warning')]).toEqual([
    200,
    'unknown option Svc-Retrys; did you mean Svc-Retries?',
  ]);
});

it('a batch that is refused as a whole names the item and stores nothing', async () => {
  const items = [{}, { 'svc-retries': '1001' }].map((headers) => ({
    destination: endpoint.url,
    headers: { ...later, ...headers },
  }));
  const { status, body } = await callApi(server, 'POST', '/v2/batch', {}, JSON.stringify(items));
  expect([status, body]).toEqual([412, { error: 'item 1: Svc-Retries must be at most 1000' }]);
});

describe('a server for development', () => {
  let dev: TestServer;

  beforeAll(async () => {
    dev = await startServer({ mode: 'dev' });
    const endpoints = JSON.stringify({ endpoints: [{ url: endpoint.url }] });
    await callApi(dev, 'POST', '/v2/topics/group/endpoints', {}, endpoints);
  });

  afterAll(() => dev.remove());

  it.each(ways)('refuses a misspelt option of %s, and no other unknown one', async (_what, ask) => {
    expect(await ask(dev, { 'Svc-Retrys': '5' })).toEqual({
      status: 400,
      error: 'unknown option Svc-Retrys; did you mean Svc-Retries?',
      warning: null,
    });
    expect(await ask(dev, { 'Svc-Zzzzzzzz': '5' })).toMatchObject({ status: 200 });
  });

  it('refuses one of a workflow step in a way that its endpoint understands', async () => {
    const headers = { 'svc-workflow-runid': 'wfr_1', 'svc-retrys': '5' };
    const item = { destination: endpoint.url, headers };
    const { status } = await callApi(dev, 'POST', '/v2/batch', {}, JSON.stringify([item]));
    expect(status).toBe(422);
  });

  it('accepts everything that the published client sends', async () => {
    const client = new Client({ baseUrl: dev.url, token: dev.token });
    const options = {
      url: endpoint.url,
      body: 'x',
      delay: 3600,
      retries: 1,
      retryDelay: '1000',
      timeout: 30,
      label: 'a',
      callback: endpoint.url,
      failureCallback: endpoint.url,
      deduplicationId: 'd',
      flowControl: { key: 'k', rate: 1 },
      redact: { body: true as const },
      headers: { 'X-A': 'b' },
    };
    await expect(client.publish(options)).resolves.toMatchObject({ url: endpoint.url });
    await expect(client.batch([{ ...options, deduplicationId: 'e' }])).resolves.toMatchObject([
      { url: endpoint.url },
    ]);
  });
});
