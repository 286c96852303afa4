/** What is configured: it is changed again and again, and always there. */
import type { SeededRandom } from '../simulation/seeded-random.js';
import type { Clients } from './clients.js';
import type { Sink } from './sink.js';

const schedules = ['quiet', 'toggled'] as const;

export class OperatorLoad {
  constructor(
    private readonly clients: Clients,
    private readonly sink: Sink,
    private readonly random: SeededRandom,
  ) {}

  async begin(): Promise<void> {
    const { clients, sink } = this;
    for (const name of schedules) {
      const headers = { 'svc-cron': '* * * * *', 'svc-schedule-id': name, 'svc-retries': '1000' };
      const path = `/v2/schedules/${sink.url}/schedule/${name}`;
      await clients.ask('POST', path, `schedule ${name}`, headers);
    }
    const endpoints = [{ url: `${sink.url}/ok/`, name: 'fixed' }];
    await clients.ask('POST', '/v2/topics/group/endpoints', { endpoints });
    for (const number of [0, 1, 2]) {
      const queueName = `queue-${number}`;
      await clients.ask('POST', '/v2/queues', { queueName, parallelism: 2 });
    }
    await clients.ask('POST', '/v2/flowControl/pinned/pin?parallelism=3');
    await clients.ask('POST', '/v2/keys/rotate');
  }

  async act(): Promise<void> {
    const { clients, sink, random } = this;
    const endpoints = [{ url: `${sink.url}/flaky/`, name: 'toggled' }];
    const asked = random.pick([
      () => clients.ask('PATCH', '/v2/schedules/toggled/pause'),
      () => clients.ask('PATCH', '/v2/schedules/toggled/resume'),
      () => clients.ask('POST', '/v2/topics/group/endpoints', { endpoints }),
      () => clients.try('DELETE', '/v2/topics/group/endpoints', { endpoints }),
      () =>
        clients.ask('PATCH', '/v2/topics/group', { headers: { 'X-Round': [`${random.next()}`] } }),
      () =>
        clients.ask('POST', '/v2/queues', {
          queueName: `queue-${random.below(3)}`,
          parallelism: 1 + random.below(5),
        }),
      () => clients.ask('POST', `/v2/flowControl/pinned/pin?parallelism=${1 + random.below(9)}`),
      () => clients.ask('POST', '/v2/flowControl/pinned/resetRate'),
    ]);
    await asked();
  }

  /** What of the configuration is not there. */
  async missing(): Promise<readonly string[]> {
    const { clients } = this;
    const paths = [
      ...schedules.map((name) => `/v2/schedules/${name}`),
      '/v2/topics/group',
      '/v2/queues/queue-0',
      '/v2/queues/queue-1',
      '/v2/queues/queue-2',
      '/v2/flowControl/pinned',
      '/admin/topics/soaked',
      '/admin/subscriptions/soaked',
    ];
    const missing: string[] = [];
    for (const path of paths) {
      const answer = await clients.try('GET', path);
      if (answer !== null && answer.status !== 200) missing.push(`${path}: ${answer.status}`);
    }
    return missing;
  }
}
