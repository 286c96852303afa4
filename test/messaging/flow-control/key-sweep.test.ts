import { flowControlKind } from '../../../src/messaging/flow-control/flow-control.commands.js';
import { messageKind } from '../../../src/messaging/messages/message.events.js';
import { settle } from '../../storage/simulated-store.js';
import { type Limits, TrafficSimulation } from './traffic-simulation.js';

const keysKeptMax = 20;
const one: Limits = { parallelism: 1, rate: null, periodSeconds: 1 };
const perMinute: Limits = { parallelism: null, rate: 1, periodSeconds: 60 };

const known = (traffic: TrafficSimulation) => traffic.engine.actors(flowControlKind).size;

/** Publishes under a key and delivers it at once. */
async function deliver(traffic: TrafficSimulation, key: string, limits: Limits): Promise<void> {
  traffic.publish(key, limits);
  await settle();
  for (const start of traffic.running.filter((each) => each.key === key)) start.end(200);
  await settle();
}

describe('keys that no message uses anymore', () => {
  it('are kept while there are few', async () => {
    const traffic = await TrafficSimulation.start({ keysKeptMax });
    for (let key = 0; key < keysKeptMax; key += 1) await deliver(traffic, `k${key}`, one);
    expect(known(traffic)).toBe(keysKeptMax);
  });

  it('are forgotten, however few, when idle at two checks a day apart', async () => {
    const dayMs = 86_400_000;
    const traffic = await TrafficSimulation.start({ keysKeptMax });
    traffic.looksForIdleKeys();
    await deliver(traffic, 'idle', perMinute);
    traffic.publish('waits', one, 10 * dayMs);
    traffic.publish('paused', one, dayMs / 2);
    traffic.ask({ type: 'PauseFlowControl', kind: flowControlKind, id: 'paused' });
    await traffic.pass(dayMs + 1000);
    expect(known(traffic)).toBe(3);
    await traffic.pass(dayMs);
    expect(traffic.controlOf('idle')).toBeNull();
    expect(known(traffic)).toBe(2);
    await deliver(traffic, 'idle', perMinute);
    expect(traffic.startsUnder('idle')).toBe(2);
    expect(traffic.failures).toEqual([]);
  });

  it('are forgotten, oldest first, when there are too many', async () => {
    const traffic = await TrafficSimulation.start({ keysKeptMax });
    for (let key = 0; key < 200; key += 1) {
      await deliver(traffic, `k${key}`, one);
      expect(known(traffic)).toBeLessThanOrEqual(keysKeptMax + 1);
    }
    expect(traffic.controlOf('k0')).toBeNull();
    expect(traffic.controlOf('k199')).not.toBeNull();
  });

  it('stay forgotten after a restart, and are limited again once named', async () => {
    let traffic = await TrafficSimulation.start({ keysKeptMax });
    for (let key = 0; key < 50; key += 1) await deliver(traffic, `k${key}`, perMinute);
    await traffic.pass(120_000);
    expect(known(traffic)).toBeLessThanOrEqual(keysKeptMax);
    const before = known(traffic);
    traffic = await traffic.crash('everything', 1);
    expect(known(traffic)).toBe(before);
    expect(traffic.controlOf('k0')).toBeNull();
    for (const _ of [1, 2]) await deliver(traffic, 'k0', perMinute);
    expect(traffic.startsUnder('k0')).toBe(1);
    expect(traffic.failures).toEqual([]);
  });
});

describe('keys that are in use', () => {
  it.each([
    ['messages wait', (traffic: TrafficSimulation, key: string) => traffic.publish(key, one)],
    [
      'messages are delayed',
      (traffic: TrafficSimulation, key: string) => traffic.publish(key, one, 3_600_000),
    ],
    [
      'they are paused',
      (traffic: TrafficSimulation, key: string) => {
        traffic.publish(key, one);
        traffic.ask({ type: 'PauseFlowControl', kind: flowControlKind, id: key });
      },
    ],
  ])('are kept however many there are: %s', async (_why, use) => {
    const traffic = await TrafficSimulation.start({ keysKeptMax });
    for (let key = 0; key < 100; key += 1) use(traffic, `k${key}`);
    await settle();
    await traffic.pass(600_000);
    expect(known(traffic)).toBe(100);
  });

  it('are kept while the attempt of a canceled message is in flight', async () => {
    const traffic = await TrafficSimulation.start({ keysKeptMax });
    const id = traffic.publish('k', one);
    await settle();
    traffic.ask({ type: 'CancelMessage', kind: messageKind, id, terms: [] });
    for (let key = 0; key < 100; key += 1) await deliver(traffic, `k${key}`, one);
    await traffic.pass(120_000);
    traffic.publish('k', one);
    await settle();
    expect(traffic.runningUnder('k')).toBe(1);
    expect(traffic.startsUnder('k')).toBe(1);
    traffic.running[0]?.end(200);
    await settle();
    expect(traffic.startsUnder('k')).toBe(2);
  });

  it('are forgotten some time after the last use, without a request', async () => {
    const traffic = await TrafficSimulation.start({ keysKeptMax });
    for (let key = 0; key < 100; key += 1) traffic.publish(`k${key}`, perMinute);
    await settle();
    expect(known(traffic)).toBe(100);
    for (const start of [...traffic.running]) start.end(200);
    await traffic.pass(180_000);
    expect(known(traffic)).toBeLessThanOrEqual(keysKeptMax);
  });
});
