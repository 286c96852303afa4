import { callApi } from '../support/api-call.js';
import { startServer, type TestServer } from '../support/server.js';
import {
  askToWait,
  type Delivery,
  eventOf,
  lastStep,
  type RunScript,
  WaitingRuns,
} from '../support/waiting-runs.js';

let server: TestServer;
let runs: WaitingRuns;
/** What the endpoint does; a test says. */
let script: RunScript;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

beforeEach(async () => {
  runs = await WaitingRuns.start((delivery) => script(delivery));
});

afterEach(() => runs.stop());

const isFirst = ({ entries }: Delivery) => entries.length === 1;

const notify = (path: string, body?: string | Buffer) =>
  callApi(server, 'POST', `/v2/notify/${path}`, {}, body);

const end = (runId: string) =>
  callApi(server, 'DELETE', `/v2/workflows/runs/${runId}?cancel=false`, {}, 'done');

describe('a run that waits for an event', () => {
  it('is told of it, and shown until then', async () => {
    script = (delivery) =>
      isFirst(delivery) ? askToWait(server, delivery.runId, 'order.paid', 1) : end(delivery.runId);
    await runs.begin(server, 'wfr_told', { headers: ['X-Tenant', 'acme'] });
    await runs.delivered(1);
    const waiter = {
      url: `${runs.endpoint.url}/workflow`,
      headers: {
        'Svc-Workflow-Runid': ['wfr_told'],
        'Svc-Workflow-Url': [`${runs.endpoint.url}/workflow`],
        'X-Tenant': ['acme'],
      },
      deadline: expect.any(Number),
    };
    const listed = await callApi(server, 'GET', '/v2/waiters/order.paid');
    expect([listed.status, listed.body]).toEqual([200, [waiter]]);
    const told = await notify('order.paid', '{"ok":true}');
    expect(told.status).toBe(201);
    const [item] = told.body as { messageId: string }[];
    expect(told.body).toEqual([
      {
        waiter: (listed.body as unknown[])[0],
        messageId: expect.stringMatching(/^msg_/),
        workflowRunId: 'wfr_told',
        workflowCreatedAt: expect.any(Number),
      },
    ]);
    const [, second] = (await runs.delivered(2)) as readonly [Delivery, Delivery];
    expect(second.messageId).toBe(item?.messageId);
    const step = lastStep(second);
    expect(step).toEqual({
      stepId: 1,
      stepName: 'wait 1',
      stepType: 'Wait',
      concurrent: 1,
      waitEventId: 'order.paid',
      out: Buffer.from('{"ok":true}').toString('base64'),
    });
    expect(eventOf(step).toString()).toBe('{"ok":true}');
    expect((await callApi(server, 'GET', '/v2/waiters/order.paid')).body).toEqual([]);
  });
});
