/** What a load balancer and an operator see of nodes whose clocks are wrong. */
import { systemClock } from '../../src/engine/clock.js';
import { serves, TestCluster, until } from '../support/cluster/test-cluster.js';

let cluster: TestCluster;

beforeEach(() => {
  cluster = new TestCluster();
});

afterEach(() => cluster.remove());

it.each([
  [20_000, 200, 'standby', '20 s ahead of that of the shared log: it does not claim the log'],
  [-3_600_000, 503, 'recovering', '3600 s behind that of the shared log: it neither claims'],
])('a follower whose clock is %i ms ahead is ready with %i', async (aheadMs, code, state, why) => {
  const owner = await cluster.start();
  await serves(owner);
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  const { url, token } = await cluster.start({ ports: { clock } });
  const ready = async () => {
    const answer = await fetch(`${url}/health/ready`);
    return { code: answer.status, said: await answer.text() };
  };
  await until(async () => (await ready()).said.includes(why));
  const { said, ...answer } = await ready();
  expect({ ...answer, ...JSON.parse(said) }).toMatchObject({ code, state });
  const headers = { authorization: `Bearer ${token}` };
  const passedOn = await fetch(`${url}/v2/queues`, { headers });
  expect(passedOn.status).toBe(code);
});
