/** Makes everything that can have happened to workflow runs happen once, in a golden folder. */

import type { TestServer } from '../server.js';
import { call } from './golden-folder.js';

type Headers = Record<string, string>;

const hook = 'http://hooks.example.com';
const later = { 'svc-delay': '1h' };

/** How long from its start the folder's clock must go until everything delayed is due. */
export const delayMs = 3_600_000;

export const step = (stepId: number, more: object = {}) => ({
  stepId,
  stepName: `step ${stepId}`,
  stepType: 'Run',
  concurrent: 1,
  out: `"${stepId}"`,
  ...more,
});

/** Runs of the endpoint at one of the folder's paths. */
export class GoldenRuns {
  constructor(private readonly server: TestServer) {}

  /** A run for each thing that can become of one; the endpoint at `/ending` ends its own. */
  async happen(): Promise<void> {
    await this.steps();
    await this.start('wfr_taken', '/workflow', later);
    await this.start('wfr_taken', '/workflow', {
      ...later,
      'svc-workflow-trigger-by-sdk': 'true',
      'svc-label': 'taken',
    });
    await this.start('wfr_ending', '/ending');
    await this.start('wfr_canceled', '/workflow', later);
    await this.end('wfr_canceled', '?cancel=true');
    await this.logged('RUN_SUCCESS', 2);
    await this.failures();
  }

  /** Ends a run as its workflow function would. */
  end(id: string, query = '?cancel=false', body = ''): Promise<unknown> {
    return this.ask('DELETE', `/v2/workflows/runs/${id}${query}`, {}, body);
  }

  /** Settles once the log of runs has so many rows in this state. */
  async logged(state: string, count: number): Promise<void> {
    for (;;) {
      const path = `/v2/workflows/messageLogs?state=${state}`;
      const { events } = (await this.ask('GET', path)) as { events: unknown[] };
      if (events.length >= count) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  private async steps(): Promise<void> {
    const id = 'wfr_steps';
    await this.start(id, '/workflow', { ...later, 'svc-forward-x-tenant': 'acme' }, 'payload');
    const named = { 'svc-failure-callback': `${hook}/told` };
    await this.submit(id, '/workflow', step(1), { ...later, ...named });
    await this.ask('POST', '/v2/batch', {}, JSON.stringify([this.callItem(id)]));
    await this.wait(id, 'paid', 3);
    await this.wait(id, 'shipped', 4);
    await this.ask('POST', '/v2/notify/shipped', {}, 'today');
    await this.ask('POST', `/v2/notify/${id}/early`, {}, 'too early');
    await this.invoke(id, '/workflow', 'wfr_child', 5);
    await this.invoke(id, '/workflow', 'wfr_grown', 6);
    await this.end('wfr_grown', '?cancel=false', '"grown"');
  }

  /** One of each is deleted, resumed, restarted and left. */
  private async failures(): Promise<void> {
    const none = { 'svc-retries': '0' };
    await this.start('wfr_parent', '/failed', { ...none, ...later });
    await this.invoke('wfr_parent', '/failed', 'wfr_handed', 1);
    await this.submit('wfr_parent', '/failed', step(2), none);
    await this.logged('RUN_FAILED', 1);
    for (const id of ['wfr_deleted', 'wfr_restarted']) await this.start(id, '/failed', none);
    const callback = { 'svc-failure-callback': `${hook}/told`, 'svc-failure-callback-delay': '1h' };
    await this.start('wfr_failed', '/failed', { ...none, ...callback });
    await this.logged('RUN_FAILED', 4);
    await this.letter('POST', 'resume', 'wfr_parent', later);
    await this.letter('POST', 'restart', 'wfr_restarted', later);
    await this.letter('DELETE', '', 'wfr_deleted');
  }

  private async letter(method: string, what: string, runId: string, headers: Headers = {}) {
    const list = await this.ask('GET', `/v2/workflows/dlq?workflowRunId=${runId}`);
    const [entry] = (list as { messages: { dlqId: string }[] }).messages;
    const path = [what, entry?.dlqId].filter((part) => part !== '').join('/');
    await this.ask(method, `/v2/workflows/dlq/${path}`, headers);
  }

  /** Starts a run of the endpoint at `path`, or takes it over. */
  start(id: string, path: string, more: Headers = {}, body = '{"n":1}') {
    const headers = { ...this.headers(id, path, true), ...more };
    const items = [{ destination: `${hook}${path}`, headers, body }];
    return this.ask('POST', '/v2/batch', {}, JSON.stringify(items));
  }

  /** Starts a run whose first step announces a webhook; nothing is delivered for an hour. */
  async announce(id: string, eventId: string): Promise<void> {
    const out = JSON.stringify({ webhookUrl: `${hook}/any`, eventId });
    await this.start(id, '/workflow', later);
    await this.submit(id, '/workflow', step(1, { stepType: 'CreateWebhook', out }), later);
  }

  /** Opens the wait of a run for a call of its webhook. */
  waitForCall(id: string, eventId: string, stepId: number) {
    return this.wait(id, eventId, stepId, 'WaitForWebhook');
  }

  /** Submits a result of a run. */
  submit(id: string, path: string, body: object, more: Headers = {}) {
    const headers = { ...this.headers(id, path, false), ...more };
    const items = [{ destination: `${hook}${path}`, headers, body: JSON.stringify(body) }];
    return this.ask('POST', '/v2/batch', {}, JSON.stringify(items));
  }

  private wait(id: string, eventId: string, stepId: number, stepType = 'Wait') {
    const wait = { timeout: '2h', step: step(stepId, { stepType }) };
    const headers = { 'svc-workflow-runid': id };
    return this.ask('POST', `/v2/wait/${eventId}`, headers, JSON.stringify(wait));
  }

  private invoke(id: string, path: string, childId: string, stepId: number) {
    const envelope = {
      body: `for ${childId}`,
      headers: {},
      workflowRunId: id,
      workflowRunCreatedAt: 1,
      workflowUrl: `${hook}${path}`,
      step: step(stepId, { stepType: 'Invoke' }),
    };
    const headers = { ...this.headers(childId, '/workflow', true), ...later };
    const invoke = { ...headers, 'svc-workflow-invoke': 'true' };
    return this.ask('POST', `/v2/publish/${hook}/workflow`, invoke, JSON.stringify(envelope));
  }

  private callItem(id: string) {
    const headers = {
      ...later,
      'svc-workflow-calltype': 'toCallback',
      'svc-workflow-init': 'false',
      'svc-workflow-runid': id,
      'svc-workflow-url': `${hook}/workflow`,
      'svc-workflow-sdk-version': '1',
      'svc-callback': `${hook}/workflow`,
      'svc-callback-workflow-calltype': 'fromCallback',
      'svc-callback-workflow-init': 'false',
      'svc-callback-workflow-runid': id,
      'svc-callback-workflow-url': `${hook}/workflow`,
      'svc-callback-forward-svc-workflow-callback': 'true',
      'svc-callback-forward-svc-workflow-stepid': '2',
      'svc-callback-forward-svc-workflow-stepname': 'third',
      'svc-callback-forward-svc-workflow-steptype': 'Call',
      'svc-callback-forward-svc-workflow-concurrent': '1',
      'svc-callback-forward-svc-workflow-contenttype': 'application/json',
    };
    return { destination: `${hook}/third`, headers, body: 'asked' };
  }

  private headers(id: string, path: string, isInit: boolean): Headers {
    return {
      'content-type': 'application/json',
      'svc-method': 'POST',
      'svc-workflow-init': String(isInit),
      'svc-workflow-runid': id,
      'svc-workflow-url': `${hook}${path}`,
      'svc-workflow-sdk-version': '1',
      'svc-forward-svc-workflow-sdk-version': '1',
      'svc-feature-set': 'InitialBody',
    };
  }

  private async ask(method: string, path: string, headers: Headers = {}, body = '') {
    const answer = await call(this.server, method, path, { ...headers, body });
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}
