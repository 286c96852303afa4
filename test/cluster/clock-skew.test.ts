import { pino } from 'pino';
import { ClockSkew } from '../../src/cluster/clock-skew.js';
import type { CommitLog, SharedLogEntry } from '../../src/cluster/commit-log.js';
import { encodeEntry } from '../../src/cluster/entry.js';
import { ClusterNode } from '../../src/cluster/node.js';
import { ownershipRules } from '../../src/cluster/rules.js';
import { type Clock, systemClock } from '../../src/engine/clock.js';
import { SkewWatch } from '../../src/server/cluster/skew-watch.js';
import { serves, TestCluster, until } from '../support/cluster/test-cluster.js';

it('a clock counts as ahead or behind only by what no delay of an entry explains', () => {
  let now = 1300;
  let monotonic = 500;
  const skew = new ClockSkew({ now: () => now, monotonic: () => monotonic });
  expect(skew.aheadMs).toBeNull();
  skew.asked(1000, 0);
  expect(skew.aheadMs).toBe(0);
  now = 3500;
  skew.asked(1000, 0);
  expect(skew.aheadMs).toBe(2000);
  now = 700;
  skew.asked(1000, 0);
  expect(skew.aheadMs).toBe(-300);
  // A node that hung meanwhile does not forget the skew.
  monotonic += 60_000;
  now += 60_000;
  skew.asked(1000, 0);
  expect(skew.aheadMs).toBe(-300);
});

describe('a node that reads the last entry of an owner long after its time', () => {
  let passedMs = 0;
  const clock: Clock = {
    ...systemClock,
    // Derived from the same source as the other clock: rounding one of them to whole milliseconds
    // would be a skew of up to 1 ms.
    now: () => performance.timeOrigin + systemClock.monotonic() + passedMs,
    monotonic: () => systemClock.monotonic() + passedMs,
  };
  const lateMs = 15_000;
  const entries: SharedLogEntry[] = [];
  const land = (at: number | null, bytes: Buffer) => {
    entries.push({ place: entries.length, at, bytes: Buffer.from(bytes) });
  };
  const owner = { epoch: 1, life: '00000000000000a1', after: 0 };
  let node: ClusterNode | null = null;

  /** A node that has read the log to its end; `now` is the clock that reads return. */
  const follow = async (now?: () => number) => {
    entries.length = 0;
    land(clock.now(), encodeEntry({ kind: 'claim', node: 'owner', ...owner }));
    let endsFound = 0;
    const log: CommitLog = {
      append: async (_expected, bytes) => {
        const at = clock.now();
        land(at, bytes);
        return { kind: 'stored', place: entries.length - 1, at };
      },
      read: async (from) => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        if (from === entries.length) endsFound += 1;
        const found = { start: 0, end: entries.length, entries: entries.slice(from) };
        return now === undefined ? found : { ...found, now: now() };
      },
      end: async () => entries.length,
      trim: async () => undefined,
      close: async () => undefined,
    };
    const watch = new SkewWatch(clock, pino({ level: 'silent' }));
    const none = () => undefined;
    const following: ClusterNode = new ClusterNode({
      log,
      clock,
      name: 'follower',
      life: '00000000000000a2',
      rules: ownershipRules,
      times: { proofMs: 40, silenceMs: 60, marginMs: 10, beatMs: 20, retryMs: 10 },
      jitterMs: 0,
      appendMs: 1000,
      mayClaim: () => watch.mayClaim(following.clockSkewMs),
      listener: {
        counted: none,
        took: none,
        released: none,
        stoodDown: none,
        resync: () => Promise.reject(new Error('nothing was trimmed')),
        stopped: none,
      },
    });
    node = following;
    await until(() => endsFound > 0);
    return following;
  };
  const landLate = async (at: number | null = clock.now() - lateMs) => {
    land(at, encodeEntry({ kind: 'heartbeat', ...owner, sequence: 0, checksum: 0 }));
    await until(() => node?.state.next === entries.length);
  };

  beforeEach(() => {
    passedMs = 0;
  });
  afterEach(() => node?.close());

  it('claims the log as usual if the clock of the log can be queried', async () => {
    const following = await follow(() => clock.now());
    await landLate();
    await until(() => following.mayAct);
    expect(following.state.epoch).toBe(2);
  });

  it('claims the log after 15 s without an entry if that clock cannot be queried', async () => {
    const following = await follow();
    await landLate();
    passedMs += 10_000;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([following.state.epoch, following.clockSkewMs]).toEqual([1, expect.any(Number)]);
    expect(following.clockSkewMs).toBeGreaterThan(10_000);
    passedMs += 5000;
    await until(() => following.mayAct);
    expect(following.state.epoch).toBe(2);
    expect(following.clockSkewMs).toBe(0);
  });

  it('claims it as ever where the log does not say when it took the entry', async () => {
    const following = await follow();
    await landLate(null);
    await until(() => following.mayAct);
    expect(following.state.epoch).toBe(2);
  });

  it('never does where the clock of the log says that its own is wrong', async () => {
    const following = await follow(() => clock.now() - 11_000);
    for (let look = 0; look < 5; look += 1) {
      passedMs += 60_000;
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(following.state.epoch).toBe(1);
    }
    expect(following.clockSkewMs).toBeGreaterThan(10_000);
  });
});

describe('a node whose clock differs from that of the shared log', () => {
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

  it('reports the difference, and claims the log only within ten seconds of it', async () => {
    const owner = await start(0);
    await serves(owner.node);
    const slow = await start(-2000);
    const far = await start(11_000);
    await until(() => slow.said('differs from that of the shared log'));
    await until(() => far.said('differs from that of the shared log'));
    expect(await slow.skewSeconds()).toBeCloseTo(-2, 0);
    expect(await far.skewSeconds()).toBeCloseTo(11, 0);
    expect(Math.abs(await owner.skewSeconds())).toBeLessThan(1);
    expect(owner.said('shared log')).toBe(false);

    await slow.node.stop();
    await owner.node.stop();
    await until(() => far.said('its clock differs too much from that of the log'));
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
