/** Names that a client would resolve as a step of its path (`.`, `..`) are refused. */
import { callApi } from '../../support/clients/api-call.js';
import { bodyOf, rawRequest, statusOf } from '../../support/clients/raw-request.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

const destination = 'http://127.0.0.1:9999/';

/** Sends a request with `name` in its path, which no client library has normalised. */
async function call(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = '{}',
  authorization = server.bearer,
) {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: ${authorization}`,
    'Connection: close',
    `Content-Length: ${body.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const answer = await rawRequest(server.port, [...head, '', body].join('\r\n'));
  const isEmpty = answer.endsWith('\r\n\r\n');
  return { status: statusOf(answer), body: isEmpty ? null : bodyOf(answer) };
}

const everyMinute = { 'svc-cron': '* * * * *' };

/** Every way to create something that is addressed by its name. */
const ways: readonly [string, (name: string) => ReturnType<typeof call>][] = [
  ['a queue', (name) => call('/v2/queues', {}, `{"queueName":"${name}","parallelism":1}`)],
  ['a queue by enqueueing', (name) => call(`/v2/enqueue/${name}/${destination}`)],
  [
    'a queue of a publish',
    (name) => call(`/v2/publish/${destination}`, { 'svc-queue-name': name }),
  ],
  [
    'a schedule',
    (name) => call(`/v2/schedules/${destination}`, { ...everyMinute, 'svc-schedule-id': name }),
  ],
  [
    'a URL group',
    (name) => call(`/v2/topics/${name}/endpoints`, {}, `{"endpoints":[{"url":"${destination}"}]}`),
  ],
  [
    'a URL group, encoded',
    (name) =>
      call(
        `/v2/topics/${name.replaceAll('.', '%2E')}/endpoints`,
        {},
        `{"endpoints":[{"url":"${destination}"}]}`,
      ),
  ],
  [
    'an endpoint of a URL group',
    (name) =>
      call(
        '/v2/topics/g/endpoints',
        {},
        `{"endpoints":[{"url":"${destination}","name":"${name}"}]}`,
      ),
  ],
  [
    'a flow-control key',
    (name) =>
      call(`/v2/publish/${destination}`, {
        'svc-flow-control-key': name,
        'svc-flow-control-value': 'rate=1',
      }),
  ],
  ['a pinned flow-control key', (name) => call(`/v2/flowControl/${name}/pin?rate=1`)],
];

describe.each(ways)('the name of %s', (_what, make) => {
  it.each(['.', '..'])('cannot be %s', async (name) => {
    const { status, body } = await make(name);
    expect([status, body]).toEqual([400, { error: expect.stringMatching(/"\." or "\.\."/) }]);
  });

  it('may begin with dots and may contain more of them', async () => {
    for (const name of ['...', '.a', 'a..', '..a']) {
      const { status } = await make(name);
      expect([name, status]).toEqual([name, 200]);
    }
  });
});

it('one item of a batch with such a queue name is refused alone', async () => {
  const items = ['..', 'fine'].map((queue) => ({ destination, body: 'x', queue }));
  const { body } = await callApi(server, 'POST', '/v2/batch', {}, JSON.stringify(items));
  expect(body).toEqual([
    { error: expect.stringContaining('"." or ".."') },
    { messageId: expect.any(String), url: destination },
  ]);
});

it.each(['/consume/./one', '/consume/../one', '/consume/team/.', '/consume/team/..'])(
  'the consumer of %s is refused',
  async (path) => {
    const { status, body } = await call(path, {}, '{"topic":"rides"}', server.basic);
    expect([status, body]).toEqual([
      400,
      { error: expect.stringMatching(/"\." or "\.\."/), status: 400 },
    ]);
  },
);
