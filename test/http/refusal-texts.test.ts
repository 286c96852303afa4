import { callApi } from '../support/clients/api-call.js';
import { startServer, type TestServer } from '../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await call('POST /admin/topics', {}, { name: 'rides', partitions: 1 });
  const reset = { 'stream-auto-offset-reset': 'earliest' };
  await call('GET /consume/g/i/rides?timeout=0', reset);
});
afterAll(() => server.remove());

function call(request: string, headers: Readonly<Record<string, string>> = {}, body?: unknown) {
  const [method = '', path = ''] = request.split(' ');
  const authorization = path.startsWith('/v2') ? server.bearer : server.basic;
  const text = body === undefined ? undefined : JSON.stringify(body);
  return callApi(server, method, path, { authorization, ...headers }, text);
}

const destination = 'http://127.0.0.1:8999/x';
const publish = `POST /v2/publish/${destination}`;
const place = { topic: 'rides', partition: 0 };
const seek = 'POST /seek/g/i';
const oneTarget = 'must have one of offset, timestamp, "earliest": true and "latest": true';
const step = { stepId: 1, stepName: 'a', stepType: 'Wait' };

describe('a refusal names the field as it is written, and what it may be', () => {
  it.each<[string, Record<string, string>, unknown, string]>([
    [publish, { 'svc-delay': '2y' }, 'x', 'Svc-Delay must be at most 31536000s'],
    [
      publish,
      { 'svc-not-before': '1767000000000' },
      'x',
      'Svc-Not-Before must be Unix seconds, at most 31536000s from now',
    ],
    [
      publish,
      { 'svc-workflow-url': destination },
      'x',
      'Svc-Workflow-Url means nothing without Svc-Workflow-RunId or Svc-Workflow-Init',
    ],
    [
      `POST /v2/schedules/${destination}`,
      { 'svc-cron': '0 0 1 1 *', 'svc-not-before': '5' },
      'x',
      'Svc-Not-Before means nothing for a schedule; give a delay instead',
    ],
    ['POST /v2/wait/e', {}, { step }, 'the header Svc-Workflow-RunId is missing'],
    ['GET /v2/dlq?source=messages', {}, undefined, 'source must be workflow'],
    [
      'GET /consume/g2/i/rides',
      { 'stream-enable-auto-commit': 'maybe' },
      undefined,
      'the header Stream-Enable-Auto-Commit must be true or false',
    ],
    [
      'POST /fetch',
      { 'stream-encoding': 'hex' },
      { ...place, offset: 0 },
      'the header Stream-Encoding must be text or base64',
    ],
    [
      'POST /commit/g/i',
      { 'stream-generation': 'x' },
      [],
      'the header Stream-Generation must be a number',
    ],
    [seek, {}, [place], `[0]: ${oneTarget}`],
    [seek, {}, { ...place, offset: 1, latest: true }, `[0]: ${oneTarget}`],
    [seek, {}, { ...place, latest: false }, `[0]: ${oneTarget}`],
    [seek, {}, { ...place, offset: -1 }, '[0].offset: must be at least 0'],
    [
      'POST /admin/topics/rides/purge',
      {},
      [
        { partition: 0, before: 0 },
        { partition: 0, before: 0 },
      ],
      'the body names a partition twice',
    ],
    ['POST /webhook', {}, 'x', 'topic is missing in the query: ?topic='],
    ['POST /webhook?topic=a&topic=b', {}, 'x', 'topic is given twice'],
    [
      'POST /admin/tokens',
      {},
      { name: 'late', role: 'read', expiresAt: 1_767_225_600 },
      'expiresAt is in the past; it is Unix milliseconds',
    ],
    [
      'GET /admin/journal/activity?from=5',
      {},
      undefined,
      'from is an offset: give Unix milliseconds or a date like 2026-11-23T04:00:00Z',
    ],
  ])('%s with %j and %j', async (request, headers, body, error) => {
    const answer = await call(request, headers, body);
    expect([answer.status >= 400, answer.body]).toEqual([true, expect.objectContaining({ error })]);
  });

  const consume = 'GET /consume/g2/i/rides';

  it.each<[string, string, unknown, string]>([
    [consume, 'Kafka-Enable-Auto-Commit', undefined, 'must be true or false'],
    [consume, 'Kafka-Auto-Offset-Reset', undefined, 'must be earliest, latest or none'],
    [consume, 'Kafka-Assignment-Strategy', undefined, 'must be range, roundrobin or sticky'],
    [consume, 'Kafka-Auto-Commit-Interval', undefined, 'must be a number of milliseconds'],
    [consume, 'Kafka-Session-Timeout-Ms', undefined, 'must be from 1000 to 86400000 milliseconds'],
    ['POST /fetch', 'Kafka-Encoding', { ...place, offset: 0 }, 'must be text or base64'],
    ['POST /commit/g/i', 'Kafka-Generation', [], 'must be a number'],
    ['POST /commit/g/i', 'Kafka-Ack-Id', [], 'must be the id of an answer, or none'],
  ])('%s names %s in the words of the client', async (request, header, body, reason) => {
    const answer = await call(request, { [header]: '?' }, body);
    expect(answer.body).toMatchObject({ error: `the header ${header} ${reason}` });
  });

  it('a missing option is named in the words of the other options', async () => {
    const url = await call(publish, { 'upstash-workflow-url': destination }, 'x');
    expect(url.body).toEqual({
      error:
        'Upstash-Workflow-Url means nothing without Upstash-Workflow-RunId or Upstash-Workflow-Init',
    });
    const error = 'the header Upstash-Workflow-RunId is missing';
    const sdk = { 'upstash-workflow-sdk-version': '1' };
    expect((await call('POST /v2/wait/e', sdk, { step })).body).toEqual({ error });
    const timeoutHeaders = { 'Upstash-Workflow-Url': ['x'] };
    const wait = await call('POST /v2/wait/e', {}, { step, timeoutHeaders });
    expect(wait.body).toEqual({ error });
  });

  it.each([
    [{ ...place, offset: 0 }, 0],
    [{ ...place, timestamp: 0 }, 0],
    [{ ...place, earliest: true }, 0],
    [{ ...place, latest: true, offset: undefined }, 0],
  ])('a seek to %j is accepted', async (body, offset) => {
    expect((await call(seek, {}, body)).body).toEqual([{ ...place, offset }]);
  });
});
