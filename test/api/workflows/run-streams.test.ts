import { systemClock } from '../../../src/engine/clock.js';
import type { RunLogRow } from '../../../src/workflows/logs/run-log-row.js';
import { RunTokens } from '../../../src/workflows/run-streams/run-tokens.js';
import { callApi } from '../../support/clients/api-call.js';
import { EventSource } from '../../support/clients/event-source.js';
import { stepOf } from '../../support/workflows/failed-run-stage.js';
import { isWaiting, LoggedRunsStage } from '../../support/workflows/logged-runs.js';
import { askToWaitForCall } from '../../support/workflows/waiting-runs.js';

let stage: LoggedRunsStage;

beforeAll(async () => {
  stage = await LoggedRunsStage.start('streamed');
});

afterAll(() => stage.end());

interface StreamedRows {
  readonly offset: number;
  readonly rows: readonly RunLogRow[];
}

const pathOf = (id: string) => `/v2/workflows/runs/${id}/stream`;

function open(id: string, lastId = '', authorization = stage.server.bearer): Promise<EventSource> {
  return EventSource.open(`${stage.server.url}${pathOf(id)}`, { authorization }, lastId);
}

/** Starts a run that waits for an event in the middle of every kind of step. */
async function waiting(eventId: string): Promise<string> {
  stage.workflow.script = stage.tour(eventId);
  const id = await stage.workflow.trigger({ 'svc-forward-x-tenant': 'acme' }, '{"n":1}');
  await stage.runOnce(id, isWaiting);
  return id;
}

/** The rows that come until one of them is in `state`, or the end. */
async function rowsUntil(stream: EventSource, state: string): Promise<RunLogRow[]> {
  const rows: RunLogRow[] = [];
  for (;;) {
    const event = await stream.next();
    if (event === null || event.type === 'end') return rows;
    const streamed = JSON.parse(event.data) as StreamedRows;
    expect(event.id).toBe(String(streamed.offset));
    for (const row of streamed.rows) expect(row.offset).toBe(streamed.offset);
    rows.push(...streamed.rows);
    if (streamed.rows.some((row) => row.state === state)) return rows;
  }
}

describe('the stream of a run', () => {
  it('sends every row once, in the order of the journal, interrupted or not', async () => {
    const id = await waiting('coffee');
    const first = await open(id);
    const begun = await rowsUntil(first, 'WAITER_ADDED');
    const { lastId } = first;
    first.cut();
    const waiters = await callApi(stage.server, 'GET', `/v2/workflows/runs/${id}/waiters`);
    expect(waiters.body).toEqual([
      { eventId: 'coffee', stepId: 3, stepName: 'wait 3', deadline: expect.any(Number) },
    ]);
    const following = open(id, lastId);
    await stage.notify('coffee', 'hot');
    const rest = await rowsUntil(await following, 'none');
    const rows = await stage.rows(`workflowRunId=${id}&order=earliestFirst`);
    const last = rows.find(({ state }) => state === 'RUN_SUCCESS')?.offset ?? 0;
    const key = ({ offset, state }: RunLogRow) => `${offset} ${state}`;
    const expected = rows.filter(({ offset = Number.NaN }) => offset <= last);
    const inOrder = [...expected].sort((one, other) => (one.offset ?? 0) - (other.offset ?? 0));
    expect([...begun, ...rest].map(key)).toEqual(inOrder.map(key));
    expect([...begun, ...rest]).toEqual(inOrder);
    const again = await fetch(`${stage.server.url}${pathOf(id)}`, {
      headers: { authorization: stage.server.bearer, 'last-event-id': String(last) },
    });
    expect(again.status).toBe(204);
    // An id of another journal, as of a folder that was restored from a backup.
    const foreign = await fetch(`${stage.server.url}${pathOf(id)}`, {
      headers: { authorization: stage.server.bearer, 'last-event-id': '999999999' },
    });
    expect(foreign.status).toBe(400);
  });

  it('of a run that does not exist is refused, and so is an invalid query', async () => {
    expect((await callApi(stage.server, 'GET', pathOf('none'))).status).toBe(404);
    await expect(open('none', 'x')).rejects.toThrow('400');
    for (const query of ['?trimBody=x', '?trimBody=99999999', '?count=1']) {
      expect((await callApi(stage.server, 'GET', `${pathOf('none')}${query}`)).status).toBe(400);
    }
    for (const part of ['waiters', 'token']) {
      const method = part === 'token' ? 'POST' : 'GET';
      const path = `/v2/workflows/runs/none/${part}`;
      expect((await callApi(stage.server, method, path)).status).toBe(404);
    }
  });
});

describe('a public token', () => {
  const tokenOf = (id: string, body?: object, headers: Record<string, string> = {}) =>
    callApi(
      stage.server,
      'POST',
      `/v2/workflows/runs/${id}/token`,
      headers,
      body && JSON.stringify(body),
    );

  it('shows a browser its own run, without headers, and nothing else', async () => {
    const id = await waiting('tea');
    const other = await waiting('milk');
    const { status, body } = await tokenOf(id, { expiresIn: '10m' });
    expect(status).toBe(201);
    const { token, expiresAt, path } = body as { token: string; expiresAt: number; path: string };
    expect(path).toBe(pathOf(id));
    expect(expiresAt).toBeGreaterThan(Date.now() + 9 * 60_000);
    const stream = await EventSource.open(`${stage.server.url}${path}?token=${token}`, {});
    const rows = await rowsUntil(stream, 'WAITER_ADDED');
    stream.cut();
    expect(rows.length).toBeGreaterThan(3);
    expect(JSON.stringify(rows)).not.toContain('acme');
    for (const row of rows) {
      expect(row.callerIp).toBe('');
      if (row.stepInfo?.stepType !== 'Call') continue;
      expect(row.stepInfo).not.toHaveProperty('out');
      expect(row.stepInfo).not.toHaveProperty('callBody');
    }
    const authorization = `Bearer ${token}`;
    const refused = [
      ['GET', pathOf(other)],
      ['GET', `/v2/workflows/runs/${id}`],
      ['GET', `/v2/workflows/runs/${id}/why`],
      ['GET', '/v2/messages'],
      ['DELETE', `/v2/workflows/runs/${id}`],
      ['POST', `/v2/workflows/runs/${id}/token`],
      ['GET', '/admin/topics'],
    ] as const;
    for (const [method, target] of refused) {
      const answer = await callApi(stage.server, method, target, { authorization });
      expect([method, target, answer.status]).toEqual([method, target, 401]);
    }
    const forged = await callApi(stage.server, 'GET', path, { authorization: `${authorization}x` });
    expect(forged.status).toBe(401);
  });

  it('does not reveal the URL of a webhook of the run', async () => {
    const eventId = 'evt_of_a_third_party';
    stage.workflow.script = async ({ runId, steps }) => {
      if (steps.length === 0) {
        const out = JSON.stringify({ webhookUrl: `http://x/${eventId}`, eventId });
        await stage.workflow.submit(runId, [stepOf(1, 'hook', { stepType: 'CreateWebhook', out })]);
      } else if (steps.length === 1) await askToWaitForCall(stage.server, runId, eventId, 2);
      else await stage.workflow.end(runId);
      return undefined;
    };
    const id = await stage.workflow.trigger();
    await stage.runOnce(id, isWaiting);
    const { token, path } = (await tokenOf(id)).body as { token: string; path: string };
    const stream = await EventSource.open(`${stage.server.url}${path}?token=${token}`, {});
    await callApi(stage.server, 'POST', `/v2/notify/${id}/${eventId}`, {}, 'paid');
    const rows = await rowsUntil(stream, 'RUN_SUCCESS');
    const ofWait = rows.filter(({ stepInfo }) => stepInfo?.stepType === 'WaitForWebhook');
    expect(ofWait.map(({ state }) => state)).toEqual(['WAITER_ADDED', 'CREATED']);
    expect(JSON.stringify(rows)).not.toContain(eventId);
  });

  it('can be created by credentials that may change things, up to the longest time', async () => {
    const id = await waiting('juice');
    const reader = { authorization: `Bearer ${stage.server.readToken}` };
    expect((await tokenOf(id, {}, reader)).status).toBe(403);
    for (const expiresIn of ['8d', '0s', 'soon', 5]) {
      expect((await tokenOf(id, { expiresIn })).status).toBe(400);
    }
    expect((await tokenOf(id)).status).toBe(201);
  });

  it('ends when it expires, or when the secrets of the server change', () => {
    let now = systemClock.now();
    const tokens = new RunTokens(['secret'], () => now);
    const token = tokens.sign('wfr_1/ä', now + 1000);
    const asked = (url: string) => ({ url }) as Parameters<RunTokens['bearer']>[1];
    const path = `/v2/workflows/runs/${encodeURIComponent('wfr_1/ä')}/stream`;
    expect(tokens.bearer(token, asked(path))?.role).toBe('read');
    expect(tokens.bearer(token, asked(`${path}?trimBody=1`))?.role).toBe('read');
    expect(tokens.bearer(token, asked(`${path}/x`))).toBeUndefined();
    expect(tokens.bearer(token, asked('/v2/workflows/runs/%E0%A4%A/stream'))).toBeUndefined();
    expect(new RunTokens(['other'], () => now).bearer(token, asked(path))).toBeUndefined();
    now += 1000;
    expect(tokens.bearer(token, asked(path))).toBeUndefined();
  });
});
