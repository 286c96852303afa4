import { type Clock, systemClock } from '../../../src/engine/clock.js';
import { Journal } from '../../../src/engine/journal.js';
import { callApi } from '../../support/clients/api-call.js';
import { serves, TestCluster } from '../../support/cluster/test-cluster.js';
import { startServer, type TestServer } from '../../support/server.js';

const delayed = { 'svc-delay': '100d' };

/** The clock of a machine that is `behindMs` late. */
class WrongClock implements Clock {
  readonly monotonic = systemClock.monotonic;
  readonly after = systemClock.after;

  constructor(public behindMs: number) {}

  now(): number {
    return systemClock.now() - this.behindMs;
  }
}

async function publish(server: TestServer): Promise<void> {
  const { status } = await callApi(server, 'POST', '/v2/publish/https://example.com', delayed);
  expect(status).toBe(200);
}

/** The time of each event of the journal, in order. */
async function timesOf({ application }: TestServer): Promise<number[]> {
  const journal = application.nest.get(Journal, { strict: false });
  const times: number[] = [];
  for await (const turn of journal.replay()) times.push(...turn.map(({ at }) => at));
  return times;
}

const sorted = (times: readonly number[]) => [...times].sort((one, other) => one - other);

describe('the times of events', () => {
  it('do not go back if the clock of the machine does, even across a restart', async () => {
    const clock = new WrongClock(0);
    const server = await startServer({ ports: { clock } });
    await publish(server);
    clock.behindMs = 5000;
    await publish(server);
    await server.stop();
    const { dataDirectory } = server;
    const behind = new WrongClock(8000);
    const again = await startServer({ dataDirectory, ports: { clock: behind } });
    await publish(again);
    const times = await timesOf(again);
    expect(times.length).toBeGreaterThan(2);
    expect(times).toEqual(sorted(times));
    // If the clock is set back by more than that, it was wrong before: waiting for it would take
    // too long.
    behind.behindMs = 60_000;
    await publish(again);
    expect((await timesOf(again)).at(-1)).toBeLessThan(Date.now() - 50_000);
    await again.remove();
  });

  it('do not go back if the node that takes over the log has a clock that is behind', async () => {
    const cluster = new TestCluster();
    const owner = await cluster.start();
    await serves(owner);
    const follower = await cluster.start({ ports: { clock: new WrongClock(8000) } });
    await publish(owner);
    await owner.stop();
    await serves(follower);
    await publish(follower);
    const times = await timesOf(follower);
    expect(times.length).toBeGreaterThan(1);
    expect(times).toEqual(sorted(times));
    await cluster.remove();
  });
});
