import { pino } from 'pino';
import { ClockSkew } from '../../src/cluster/clock-skew.js';
import { systemClock } from '../../src/engine/clock.js';
import { serves, TestCluster, until } from '../support/cluster/test-cluster.js';

it('a clock is ahead or behind by what no delay of an entry explains', () => {
  const skew = new ClockSkew();
  expect(skew.aheadMs).toBeNull();
  skew.note(1000, 1300, 500);
  expect(skew.aheadMs).toBe(0);
  skew.note(1000, 3500, 500);
  expect(skew.aheadMs).toBe(2000);
  skew.note(1000, 700, 500);
  expect(skew.aheadMs).toBe(-300);
});

describe('a node whose clock is not that of the shared log', () => {
  const cluster = new TestCluster();

  afterAll(() => cluster.remove());

  const start = async (aheadMs: number) => {
    const lines: string[] = [];
    const node = await cluster.start({
      ports: {
        clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
        log: pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }),
      },
    });
    const skewSeconds = async () => {
      const metrics = await (await fetch(`${node.url}/metrics`)).text();
      return Number(/^stepwell_cluster_clock_skew_seconds (\S+)$/m.exec(metrics)?.[1]);
    };
    return {
      node,
      skewSeconds,
      said: (words: string) => lines.some((line) => line.includes(words)),
    };
  };

  it('says so, and claims the log only within ten seconds of it', async () => {
    const owner = await start(0);
    await serves(owner.node);
    const slow = await start(-2000);
    const far = await start(11_000);
    await until(() => slow.said('is not that of the shared log'));
    await until(() => far.said('is not that of the shared log'));
    expect(await slow.skewSeconds()).toBeCloseTo(-2, 0);
    expect(await far.skewSeconds()).toBeCloseTo(11, 0);
    expect(Math.abs(await owner.skewSeconds())).toBeLessThan(1);
    expect(owner.said('shared log')).toBe(false);

    await slow.node.stop();
    await owner.node.stop();
    await until(() => far.said('its clock is too far from that of the log'));
    const next = await start(0);
    await serves(next.node);
    const credential = { headers: { authorization: far.node.basic } };
    const shown = async () =>
      (await (await fetch(`${far.node.url}/admin/cluster`, credential)).json()) as {
        readonly role: string;
        readonly epoch: number;
      };
    await until(async () => (await shown()).epoch === 2);
    expect((await shown()).role).toBe('follower');
  }, 60_000);
});
