import { type Answer, callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';
import {
  askToWait,
  type Delivery,
  eventOf,
  lastStep,
  type RunScript,
  WaitingRuns,
} from '../../support/workflows/waiting-runs.js';

let server: TestServer;
let runs: WaitingRuns;
/** What the endpoint does at each delivery; set by each test. */
let script: RunScript;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

beforeEach(async () => {
  runs = await WaitingRuns.start((delivery) => script(delivery));
});

afterEach(() => runs.stop());

/** A wait that a notification ended. */
interface Item {
  readonly messageId: string;
  readonly workflowRunId: string;
}

const isFirst = ({ entries }: Delivery) => entries.length === 1;

const notify = (path: string, body?: string | Buffer) =>
  callApi(server, 'POST', `/v2/notify/${path}`, {}, body);

const waitersOf = async (eventId: string) =>
  (await callApi(server, 'GET', `/v2/waiters/${eventId}`)).body as unknown[];

const end = (runId: string) =>
  callApi(server, 'DELETE', `/v2/workflows/runs/${runId}?cancel=false`, {}, 'done');

/** Waits for an event in its first step, and ends when the wait has an outcome. */
const waitOnce =
  (eventId: string, more: Readonly<Record<string, unknown>> = {}): RunScript =>
  (delivery) =>
    isFirst(delivery) ? askToWait(server, delivery.runId, eventId, 1, more) : end(delivery.runId);

const encoded = (text: string) => Buffer.from(text).toString('base64');

describe('a run that waits for an event', () => {
  it('gets it, and is listed until then', async () => {
    script = waitOnce('order.paid');
    await runs.begin(server, 'wfr_waits', { headers: ['x-tenant', 'acme'] });
    await runs.delivered(1);
    const url = `${runs.endpoint.url}/workflow`;
    const headers = {
      'Svc-Workflow-Runid': ['wfr_waits'],
      'Svc-Workflow-Url': [url],
      'Svc-Workflow-Sdk-Version': ['1'],
      'X-Tenant': ['acme'],
    };
    const waiter = {
      url,
      headers,
      deadline: expect.any(Number),
      timeoutUrl: url,
      timeoutBody: expect.any(String),
      timeoutHeaders: { ...headers, 'Content-Type': ['application/json'] },
    };
    const listed = await waitersOf('order.paid');
    expect(listed).toEqual([waiter]);
    const notified = await notify('order.paid', '{"ok":true}');
    expect([notified.status, notified.body]).toEqual([
      201,
      [
        {
          waiter: listed[0],
          messageId: expect.stringMatching(/^msg_/),
          workflowRunId: 'wfr_waits',
          workflowCreatedAt: expect.any(Number),
        },
      ],
    ]);
    const [, second] = (await runs.delivered(2)) as readonly [Delivery, Delivery];
    expect(second.messageId).toBe((notified.body as Item[])[0]?.messageId);
    expect(lastStep(second)).toEqual({
      stepId: 1,
      stepName: 'wait 1',
      stepType: 'Wait',
      concurrent: 1,
      waitEventId: 'order.paid',
      out: encoded('{"ok":true}'),
    });
    expect(await waitersOf('order.paid')).toEqual([]);
    expect((await notify('order.paid')).body).toEqual([]);
  });

  it('continues without it when it times out', async () => {
    script = waitOnce('never', { timeout: '0.1s' });
    await runs.begin(server, 'wfr_late');
    const [, second] = (await runs.delivered(2)) as readonly [Delivery, Delivery];
    expect(lastStep(second)).toMatchObject({ waitEventId: 'never', waitTimeout: true });
    expect(lastStep(second)).not.toHaveProperty('out');
    expect(await waitersOf('never')).toEqual([]);
  });

  it.each<[string, Buffer | undefined, string | undefined]>([
    ['no data', undefined, undefined],
    ['bytes of any kind', Buffer.from([0, 255, 128, 10]), 'AP+ACg=='],
    ['a plain text', Buffer.from('plain'), encoded('plain')],
  ])('gets %s unchanged', async (what, body, out) => {
    const eventId = `noted-${what.replaceAll(' ', '-')}`;
    script = waitOnce(eventId);
    await runs.begin(server, `wfr_${eventId}`);
    await runs.delivered(1);
    await notify(eventId, body);
    const [, second] = (await runs.delivered(2)) as readonly [Delivery, Delivery];
    expect(lastStep(second)['out']).toBe(out);
  });

  it('may wait twice for one event, and one notification ends both', async () => {
    script = async (delivery) => {
      const { runId } = delivery;
      if (isFirst(delivery)) {
        await askToWait(server, runId, 'both', 1);
        await askToWait(server, runId, 'both', 2);
      } else if (delivery.entries.length === 3) {
        await end(runId);
      }
    };
    await runs.begin(server, 'wfr_both');
    await runs.delivered(1);
    const items = (await notify('both', 'x')).body as Item[];
    expect(items.map(({ workflowRunId }) => workflowRunId)).toEqual(['wfr_both', 'wfr_both']);
    const later = (await runs.delivered(3)).slice(1);
    expect(later.map(({ entries }) => entries.length).sort()).toEqual([2, 3]);
    expect(later.map(lastStep).map(({ stepId, out }) => [stepId, out])).toEqual(
      expect.arrayContaining([
        [1, encoded('x')],
        [2, encoded('x')],
      ]),
    );
  });

  it('is notified, as one of three hundred', async () => {
    script = waitOnce('everybody');
    const ids = Array.from({ length: 300 }, (_, index) => `wfr_one_of_many_${index}`);
    await Promise.all(ids.map((id) => runs.begin(server, id)));
    await runs.delivered(ids.length);
    expect(await waitersOf('everybody')).toHaveLength(ids.length);
    const items = (await notify('everybody', 'now')).body as Item[];
    expect(items.map(({ workflowRunId }) => workflowRunId).sort()).toEqual([...ids].sort());
    expect(new Set(items.map(({ messageId }) => messageId)).size).toBe(ids.length);
    const notified = (await runs.delivered(2 * ids.length)).slice(ids.length);
    expect(new Set(notified.map(({ messageId }) => messageId))).toEqual(
      new Set(items.map(({ messageId }) => messageId)),
    );
    expect(new Set(notified.map((delivery) => eventOf(lastStep(delivery)).toString()))).toEqual(
      new Set(['now']),
    );
  });

  it('is shown with its redaction, and in its own dialect', async () => {
    script = waitOnce('hidden');
    const terms = {
      maxRetries: 0,
      retryDelay: null,
      timeoutMs: null,
      flowControl: null,
      labels: [],
      redaction: { body: false, headers: ['x-secret'] },
      failureCallback: null,
    };
    const headers = ['X-Secret', 'hush', 'X-Open', 'yes'];
    await runs.begin(server, 'wfr_hidden', { dialect: 'upstash', headers, terms });
    await runs.delivered(1);
    const [waiter] = (await waitersOf('hidden')) as { headers: unknown }[];
    expect(waiter?.headers).toEqual({
      'Upstash-Workflow-Runid': ['wfr_hidden'],
      'Upstash-Workflow-Url': [`${runs.endpoint.url}/workflow`],
      'Upstash-Workflow-Sdk-Version': ['1'],
      'X-Secret': [expect.stringMatching(/^REDACTED:[0-9a-f]{64}$/)],
      'X-Open': ['yes'],
    });
    const [item] = (await notify('hidden')).body as { waiter: unknown }[];
    expect(item?.waiter).toEqual(waiter);
  });

  it('waits only once if its step is submitted twice', async () => {
    script = async (delivery) => {
      if (!isFirst(delivery)) return end(delivery.runId);
      await askToWait(server, delivery.runId, 'twice', 1);
      return askToWait(server, delivery.runId, 'twice', 1);
    };
    await runs.begin(server, 'wfr_twice');
    await runs.delivered(1);
    expect((await notify('twice')).body).toHaveLength(1);
    const [, second] = (await runs.delivered(2)) as readonly [Delivery, Delivery];
    expect(second.entries).toHaveLength(2);
  });
});

describe('an event', () => {
  it.each([
    ['has slashes', 'orders/7/paid', 'orders/7/paid'],
    ['has blanks', 'an%20event', 'an event'],
    ['has a slash at its end', 'orders/', 'orders/'],
    ['looks like a domain', 'example.com', 'example.com'],
    ['is encoded where another is not', 'caf%C3%A9', 'café'],
    ['has a percent sign', '50%%20off', '50%%20off'],
    ['has options behind it', 'asked?token=none&x=1', 'asked'],
  ])('may have a name that %s', async (_what, path, eventId) => {
    script = waitOnce(path);
    const runId = `wfr_named_${encoded(eventId)}`;
    await runs.begin(server, runId);
    await runs.delivered(1);
    expect(await waitersOf(path)).toHaveLength(1);
    expect((await notify(path)).body).toHaveLength(1);
    const [, second] = (await runs.delivered(2)) as readonly [Delivery, Delivery];
    expect(lastStep(second)['waitEventId']).toBe(eventId);
  });

  it('must have a name', async () => {
    for (const path of ['', '/', `/${'x'.repeat(2049)}`]) {
      expect((await callApi(server, 'POST', `/v2/notify${path}`)).status).toBe(400);
      expect((await callApi(server, 'GET', `/v2/waiters${path}`)).status).toBe(400);
      // 400 would mean that the run has ended.
      expect((await callApi(server, 'POST', `/v2/wait${path}`)).status).toBe(422);
    }
  });

  it('is lost if no run waits for it yet', async () => {
    expect((await notify('too-early')).body).toEqual([]);
    script = waitOnce('too-early');
    await runs.begin(server, 'wfr_too_late');
    await runs.delivered(1);
    expect(await waitersOf('too-early')).toHaveLength(1);
  });
});

describe('an event for one run', () => {
  it('is kept until the run waits for it, one for each wait, the oldest first', async () => {
    script = async ({ runId, entries }) => {
      if (entries.length > 2) await end(runId);
      else {
        if (entries.length === 1) {
          for (const data of ['one', 'two']) {
            const notified = await notify(`${runId}/kept`, data);
            expect([notified.status, notified.body]).toEqual([201, []]);
          }
        }
        const wait = await askToWait(server, runId, 'kept', entries.length);
        expect(wait.body).toEqual({ messageId: expect.stringMatching(/^msg_/) });
      }
    };
    await runs.begin(server, 'wfr_kept');
    const [, second, third] = await runs.delivered(3);
    expect([second, third].map((each) => each && eventOf(lastStep(each)).toString())).toEqual([
      'one',
      'two',
    ]);
  });

  it('ends all waits of its run for it, and no wait of another run', async () => {
    script = async (delivery) => {
      if (!isFirst(delivery)) return;
      await askToWait(server, delivery.runId, 'mine', 1);
      await askToWait(server, delivery.runId, 'mine', 2);
    };
    await runs.begin(server, 'wfr_mine');
    await runs.begin(server, 'wfr_other');
    await runs.delivered(2);
    const items = (await notify('wfr_mine/mine', 'x')).body as Item[];
    expect(items.map(({ workflowRunId }) => workflowRunId)).toEqual(['wfr_mine', 'wfr_mine']);
    expect(await waitersOf('mine')).toHaveLength(2);
  });

  it('finds a run with any id, as long as the run is active', async () => {
    script = waitOnce('named/event');
    await runs.begin(server, 'plain-name');
    await runs.delivered(1);
    expect((await notify('plain-name/named/event')).body).toHaveLength(1);
    await runs.delivered(2);
    // Now the path is the name of an event for which no run waits.
    expect((await notify('plain-name/named/event')).body).toEqual([]);
  });

  it('is for the run that waits for it, even if a shorter id is also active', async () => {
    script = waitOnce('signed');
    await runs.begin(server, 'wfr_contract');
    await runs.begin(server, 'wfr_contract/annex');
    await runs.delivered(2);
    const longer = await notify('wfr_contract/annex/signed');
    expect(longer.body).toMatchObject([{ workflowRunId: 'wfr_contract/annex' }]);
    const shorter = await notify('wfr_contract/signed');
    expect(shorter.body).toMatchObject([{ workflowRunId: 'wfr_contract' }]);
  });

  it('is refused if the run has ended or never started', async () => {
    script = ({ runId }) => end(runId);
    await runs.begin(server, 'wfr_ended');
    await runs.delivered(1);
    for (const runId of ['wfr_ended', 'wfr_unknown']) {
      const { status, body } = await notify(`${runId}/anything`, 'x');
      expect([status, body]).toEqual([404, { error: `workflow run ${runId} not found` }]);
    }
  });
});

describe('a wait requested by an endpoint', () => {
  const ask = (body: string, headers: Readonly<Record<string, string>> = {}) =>
    callApi(server, 'POST', '/v2/wait/asked', headers, body);

  it('is refused with 400 only if its run has ended', async () => {
    script = ({ runId }) => end(runId);
    await runs.begin(server, 'wfr_over');
    await runs.delivered(1);
    for (const runId of ['wfr_over', 'wfr_nobody']) {
      expect((await askToWait(server, runId, 'asked', 1)).status).toBe(400);
    }
  });

  it('is refused with 422 if it is invalid', async () => {
    const step = { stepId: 1, stepName: 'w', stepType: 'Wait', concurrent: 1 };
    const run = { 'svc-workflow-runid': 'wfr_any' };
    for (const body of [
      '',
      '{',
      '[]',
      JSON.stringify({ timeout: '1h' }),
      JSON.stringify({ step: { ...step, stepId: 0 } }),
      JSON.stringify({ step: { ...step, stepId: 1.5 } }),
      JSON.stringify({ step: { ...step, stepName: 7 } }),
      JSON.stringify({ step, timeout: 'soon' }),
      JSON.stringify({ step, timeout: -1 }),
    ]) {
      const answer = await ask(body, run);
      expect([body, answer.status]).toEqual([body, 422]);
      expect(answer.body).toEqual({ error: expect.stringMatching(/./) });
    }
    expect((await ask(JSON.stringify({ step }))).status).toBe(422);
  });

  it('is refused with 412 if it would last longer than a server waits', async () => {
    const { status } = await askToWait(server, 'wfr_any', 'asked', 1, { timeout: '2y' });
    expect(status).toBe(412);
  });

  it('is refused with 409 if the step was a different one before', async () => {
    script = async (delivery) => {
      if (!isFirst(delivery)) return end(delivery.runId);
      await askToWait(server, delivery.runId, 'changed', 1);
      const step = { stepId: 1, stepName: 'other', stepType: 'Wait', concurrent: 1 };
      const { status } = await askToWait(server, delivery.runId, 'changed', 1, { step });
      expect(status).toBe(409);
      return status;
    };
    await runs.begin(server, 'wfr_changed');
    await runs.delivered(1);
    expect((await notify('changed')).body).toHaveLength(1);
  });

  it('may name its run in the headers for its timeout', async () => {
    script = async (delivery) => {
      const { runId } = delivery;
      if (!isFirst(delivery)) return end(runId);
      const step = { stepId: 1, stepName: 'w', stepType: 'Wait', concurrent: 1, targetStep: null };
      const timeoutHeaders = {
        'Upstash-Workflow-RunId': [runId],
        'Upstash-Workflow-Runid': [runId],
      };
      return ask(JSON.stringify({ step, timeout: 3600, timeoutHeaders }));
    };
    await runs.begin(server, 'wfr_by_headers');
    await runs.delivered(1);
    expect((await notify('wfr_by_headers/asked')).body).toHaveLength(1);
  });
});

describe('a race between a notification and', () => {
  it('a cancel has one outcome: that of the first request', async () => {
    script = (delivery) =>
      isFirst(delivery) ? askToWait(server, delivery.runId, 'race', 1) : Promise.resolve();
    for (let round = 0; round < 20; round += 1) {
      const runId = `wfr_race_${round}`;
      await runs.begin(server, runId);
      while ((await waitersOf('race')).length === 0);
      const tell = () => notify(`${runId}/race`, 'x');
      const cancel = () => callApi(server, 'DELETE', `/v2/workflows/runs/${runId}?cancel=true`);
      const inTurn = round % 2 === 0 ? [tell(), cancel()] : [cancel(), tell()].reverse();
      const [notified, canceled] = (await Promise.all(inTurn)) as [Answer, Answer];
      expect(canceled.status).toBe(200);
      // Notified before it was canceled, or never: the event is not kept for a run that has ended.
      const { status, body } = notified;
      expect(['sent 1', 404]).toContain(
        status === 201 ? `sent ${(body as Item[]).length}` : status,
      );
      expect(await waitersOf('race')).toEqual([]);
    }
  });
});
