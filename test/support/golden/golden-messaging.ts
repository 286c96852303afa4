/** Makes everything that can have happened beside runs happen once, in a golden folder. */
import { Engine } from '../../../src/engine/engine.js';
import {
  type ForgetFlowControl,
  flowControlKind,
} from '../../../src/messaging/flow-control/flow-control.commands.js';
import type { ManualClock } from '../manual-clock.js';
import type { TestServer } from '../server.js';
import { call, publish } from './golden-folder.js';

const hook = 'http://hooks.example.com';
const minute = 60_000;

export class GoldenMessaging {
  constructor(
    private readonly server: TestServer,
    private readonly clock: ManualClock,
  ) {}

  /** A minute of the clock passes. */
  async happen(): Promise<void> {
    await this.schedules();
    await this.messages();
    await this.queues();
    await this.flowControl();
    await this.groups();
    await this.letters();
    await this.ask('POST', '/v2/keys/rotate');
    for (const name of ['kept', 'gone']) {
      const credential = { name, topic: 'orders-*', permissions: 'PRODUCE' };
      await this.ask('POST', '/admin/credentials', JSON.stringify(credential));
    }
    await this.ask('DELETE', '/admin/credentials/gone');
  }

  /** Settles once the log of messages has so many rows in this state. */
  async logged(state: string, count: number): Promise<void> {
    for (;;) {
      const { logs } = (await this.ask('GET', `/v2/logs?state=${state}`)) as { logs: unknown[] };
      if (logs.length >= count) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  private async schedules(): Promise<void> {
    for (const id of ['minutely', 'deleted', 'paused']) {
      const headers = { 'svc-cron': '* * * * *', 'svc-schedule-id': id, 'svc-delay': '1h' };
      await this.ask('POST', `/v2/schedules/${hook}/${id}`, 'on time', headers);
    }
    await this.ask('DELETE', '/v2/schedules/deleted');
    await this.ask('PATCH', '/v2/schedules/paused/pause');
    this.clock.advance(minute);
    await this.logged('CREATED', 1);
    await this.ask('PATCH', '/v2/schedules/minutely/pause');
    await this.ask('PATCH', '/v2/schedules/minutely/resume');
  }

  private async messages(): Promise<void> {
    await publish(this.server, '/delivered', { 'svc-redact-fields': 'body' });
    await publish(this.server, '/retrying', { 'svc-retries': '5', 'svc-retry-delay': '3600000' });
    const { id } = await publish(this.server, '/canceled', { 'svc-delay': '1h' });
    await this.ask('DELETE', `/v2/messages/${id}`);
    await this.logged('DELIVERED', 1);
    await this.logged('RETRY', 1);
  }

  private async queues(): Promise<void> {
    for (const queueName of ['line', 'closed']) {
      await this.ask('POST', '/v2/queues', JSON.stringify({ queueName, parallelism: 2 }));
    }
    await this.ask('POST', '/v2/queues', JSON.stringify({ queueName: 'line', parallelism: 3 }));
    await this.ask('DELETE', '/v2/queues/closed');
    await this.ask('POST', `/v2/enqueue/line/${hook}/second`, 'second', { 'svc-delay': '1h' });
  }

  private async flowControl(): Promise<void> {
    const limited = (key: string) => ({
      'svc-flow-control-key': key,
      'svc-flow-control-value': 'rate=1, period=1h',
    });
    await publish(this.server, '/delivered', limited('tenant'));
    await this.logged('DELIVERED', 2);
    await publish(this.server, '/delivered', limited('tenant'));
    const actions = ['pin?parallelism=3', 'unpin?parallelism=true', 'pause', 'resume', 'resetRate'];
    for (const action of actions) await this.ask('POST', `/v2/flowControl/operated/${action}`);
    await this.forget('operated');
  }

  /** Keys are forgotten when there are more of them than fit in here. */
  private async forget(id: string): Promise<void> {
    const kind = flowControlKind;
    const at = this.clock.now();
    const command: ForgetFlowControl = { type: 'ForgetFlowControl', kind, id, at };
    const [outcome] = await this.server.application.nest
      .get(Engine, { strict: false })
      .dispatch([command]);
    if (outcome?.ok !== true) throw new Error(`${id} was not forgotten`);
  }

  private async groups(): Promise<void> {
    const endpoints = [{ url: `${hook}/a`, name: 'a' }, { url: `${hook}/b` }];
    for (const name of ['team', 'left']) {
      await this.ask('POST', `/v2/topics/${name}/endpoints`, JSON.stringify({ endpoints }));
    }
    await this.ask('PATCH', '/v2/topics/team', '{"headers":{"X-Team":["one"]}}');
    const removed = JSON.stringify({ endpoints: [{ name: 'a' }] });
    await this.ask('DELETE', '/v2/topics/team/endpoints', removed);
    await this.ask('DELETE', '/v2/topics/left');
    await this.ask('POST', '/v2/publish/team', 'to all', { 'svc-delay': '1h' });
  }

  private async letters(): Promise<void> {
    const called = { 'svc-failure-callback': `${hook}/told`, 'svc-failure-callback-delay': '1h' };
    await publish(this.server, '/failed', { 'svc-retries': '0', ...called });
    for (const label of ['retried', 'deleted']) {
      await publish(this.server, '/refused', { 'svc-label': label });
    }
    await this.logged('FAILED', 3);
    await this.ask('POST', '/v2/dlq/retry?label=retried', '', { 'svc-delay': '1h' });
    await this.ask('DELETE', '/v2/dlq?label=deleted');
  }

  private async ask(
    method: string,
    path: string,
    body = '',
    headers: Record<string, string> = {},
  ): Promise<unknown> {
    const answer = await call(this.server, method, path, { ...headers, body });
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}
