/** How much of its answers a destination can make the server store, as callbacks show it. */
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';
import { FailedRunStage, stepOf } from '../../support/workflows/failed-run-stage.js';

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** The body of a callback. */
interface Report {
  readonly status: number;
  readonly body: string;
  readonly bodyTruncated?: boolean;
  readonly retried: number;
}

let server: TestServer | undefined;
let endpoint: RecordingEndpoint;

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
});

afterEach(async () => {
  await server?.remove();
  server = undefined;
  await endpoint.stop();
});

/**
 * The reports of callbacks to `path`, by attempt: status, bytes of the answer, whether it was cut.
 */
async function storedAnswers(path: string, count: number) {
  const found = () => endpoint.requests.filter(({ url }) => url === path);
  while (found().length < count) await endpoint.next();
  const reports = found().map(({ body }) => JSON.parse(String(body)) as Report);
  return reports
    .sort((one, other) => one.retried - other.retried)
    .map(({ status, body, bodyTruncated = false }) => [
      status,
      Buffer.from(body, 'base64').length,
      bodyTruncated,
    ]);
}

/** Makes `/work` answer with this many bytes, and with 200 from attempt `good` on. */
function workAnswers(bytes: number, good: number) {
  const body = Buffer.alloc(bytes, 'x');
  endpoint.answer(({ url, headers }) => {
    if (url !== '/work') return {};
    return { status: Number(headers['svc-retried']) >= good ? 200 : 500, body };
  });
}

const publish = (to: TestServer, headers: Readonly<Record<string, string>>) =>
  callApi(to, 'POST', `/v2/publish/${endpoint.url}/work`, headers, 'four');

const options = { 'Svc-Retries': '2', 'Svc-Retry-Delay': '1' };

describe('a large answer', () => {
  it('is stored up to 1 MiB if it ends a message, up to 64 KiB before a retry', async () => {
    server = await startServer();
    workAnswers(4 * megabyte, Number.POSITIVE_INFINITY);
    await publish(server, {
      ...options,
      'Svc-Callback': `${endpoint.url}/called`,
      'Svc-Failure-Callback': `${endpoint.url}/failed`,
    });
    expect(await storedAnswers('/failed', 1)).toEqual([[500, megabyte, true]]);
    expect(await storedAnswers('/called', 3)).toEqual([
      [500, 64 * kilobyte, true],
      [500, 64 * kilobyte, true],
      [500, megabyte, true],
    ]);
  });

  it('of a success is stored up to 1 MiB, too, and not marked as cut if whole', async () => {
    server = await startServer();
    workAnswers(megabyte, 1);
    await publish(server, { ...options, 'Svc-Callback': `${endpoint.url}/called` });
    expect(await storedAnswers('/called', 2)).toEqual([
      [500, 64 * kilobyte, true],
      [200, megabyte, false],
    ]);
  });

  it('is stored up to the limit of the setting', async () => {
    server = await startServer({ environment: { STEPWELL_ANSWER_MAX: '2kb' } });
    workAnswers(megabyte, Number.POSITIVE_INFINITY);
    await publish(server, { ...options, 'Svc-Callback': `${endpoint.url}/called` });
    expect(await storedAnswers('/called', 3)).toEqual([
      [500, 2 * kilobyte, true],
      [500, 2 * kilobyte, true],
      [500, 2 * kilobyte, true],
    ]);
  });
});

describe('a large answer in a run', () => {
  let stage: FailedRunStage;

  beforeEach(async () => {
    stage = await FailedRunStage.start('large');
  });

  afterEach(() => stage.end());

  it('of its endpoint goes whole to its failure callback, even after a restart', async () => {
    const error = JSON.stringify({ error: 'Error', message: 'm'.repeat(400_000), stack: 's' });
    let answer = 500;
    await stage.clear(({ role }) =>
      role === 'failureCallback' ? { status: answer } : { status: 500, body: error },
    );
    const { dlqId, workflowRunId } = await stage.fail({
      'svc-failure-callback': stage.workflow.url,
      'svc-failure-callback-retries': '0',
    });
    await stage.inState(dlqId, 'CALLBACK_FAIL');
    const letter = (await stage.api('GET', `/${dlqId}`)).body as { responseBody: string };
    expect(letter.responseBody === error).toBe(true);
    await stage.restart();
    answer = 200;
    await stage.api('POST', `/callback/${dlqId}`);
    await stage.inState(dlqId, 'CALLBACK_SUCCESS');
    const callbacks = stage.workflow.deliveriesOf(workflowRunId, 'failureCallback');
    const bodies = callbacks.map(({ request }) => JSON.parse(String(request.body)).body as string);
    expect(bodies.map((body) => Buffer.from(body, 'base64').toString() === error)).toEqual([
      true,
      true,
    ]);
  });

  it('of a third party is completely the result of its call', async () => {
    const third = await RecordingEndpoint.start(() => ({ body: Buffer.alloc(3 * megabyte, 'y') }));
    await stage.clear(async ({ role, runId }, workflow) => {
      if (role === 'step') await workflow.call(runId, stepOf(1, 'third'), third.url);
      else await workflow.end(runId);
      return undefined;
    });
    const runId = await stage.workflow.trigger();
    await stage.ended(runId);
    const [result] = stage.workflow.deliveriesOf(runId, 'callResult');
    const { body, bodyTruncated } = JSON.parse(String(result?.request.body)) as Report;
    expect([Buffer.from(body, 'base64').length, bodyTruncated]).toEqual([3 * megabyte, undefined]);
    await third.stop();
  });
});
