import { Engine } from '../../../src/engine/engine.js';
import { Payloads } from '../../../src/engine/payloads.js';
import { messageKind } from '../../../src/messaging/messages/message.events.js';
import { EventsService } from '../../../src/workflows/events/events.service.js';
import type { WaitRequest } from '../../../src/workflows/events/wait.request.js';
import { runKind, type WaitEnded } from '../../../src/workflows/run-state/run.events.js';
import type { RunState } from '../../../src/workflows/run-state/run.machine.js';
import { Runs } from '../../../src/workflows/runs/run.entity.js';
import { ManualClock } from '../../support/manual-clock.js';
import { startServer, type TestServer } from '../../support/server.js';
import { type Delivery, lastStep, WaitingRuns } from '../../support/workflows/waiting-runs.js';

const hourMs = 3_600_000;

let clock: ManualClock;
let server: TestServer;
let service: EventsService;
let runs: WaitingRuns;
let open: (runId: string) => Promise<unknown>;

/**
 * At its first delivery a run does what the test specifies; later it waits for an event that never
 * comes.
 */
beforeEach(async () => {
  clock = new ManualClock();
  server = await startServer({ ports: { clock } });
  service = server.application.nest.get(EventsService);
  open = (runId) => service.wait('event', waitRequest(runId, 1), null);
  runs = await WaitingRuns.start(({ runId, entries }) =>
    entries.length === 1
      ? open(runId)
      : service.wait('never', waitRequest(runId, 100 + entries.length, 1000 * hourMs), null),
  );
});

afterEach(async () => {
  await runs.stop();
  await server.remove();
});

function waitRequest(runId: string, stepId: number, timeoutMs = hourMs): WaitRequest {
  const step = { id: stepId, name: 'wait', type: 'Wait', concurrent: 1, target: null };
  return { runId, step, timeout: `${timeoutMs / 1000}s`, timeoutMs };
}

/** Restarts the server on the same folder, at the same time of the same clock. */
async function restart(): Promise<void> {
  const { dataDirectory } = server;
  await server.stop();
  server = await startServer({ ports: { clock }, dataDirectory });
  service = server.application.nest.get(EventsService);
}

const stateOf = (runId: string) =>
  server.application.nest.get(Engine).actors(runKind).find(runId)?.state as RunState;

/** How the waits of a run ended, in order. */
async function endsOf(runId: string): Promise<readonly WaitEnded[]> {
  const payloads = server.application.nest.get(Payloads);
  const ends: WaitEnded[] = [];
  for (const { offset } of stateOf(runId).context.entries.toArray().slice(1)) {
    ends.push((await payloads.read(offset)).event as WaitEnded);
  }
  return ends;
}

/** Resolves when `count` deliveries were made and the server has processed their answers. */
async function answered(count: number): Promise<void> {
  await runs.delivered(count);
  const messages = server.application.nest.get(Engine).actors(messageKind);
  while (messages.size > 0) await new Promise((resolve) => setImmediate(resolve));
}

const data = Buffer.from('data');

describe('the service of events', () => {
  it('gives one outcome to a notification and a timeout that come together', async () => {
    for (const [runId, isFirst] of [
      ['wfr_first', true],
      ['wfr_late_first', false],
    ] as const) {
      await runs.begin(server, runId);
      const before = runs.deliveries.length;
      await answered(before + 1);
      // Both are decided before either waits for the disk.
      const early = isFirst ? service.notify('event', data, null) : null;
      clock.advance(hourMs);
      const items = await (early ?? service.notify('event', data, null));
      expect(items).toHaveLength(isFirst ? 1 : 0);
      await answered(before + 2);
      expect((await endsOf(runId)).map(({ isTimeout }) => isTimeout)).toEqual([!isFirst]);
      expect(await service.waiters('event')).toEqual([]);
    }
  });

  it('stores only once what many runs get', async () => {
    const ids = Array.from({ length: 300 }, (_, index) => `wfr_${index}`);
    await Promise.all(ids.map((id) => runs.begin(server, id)));
    await runs.delivered(ids.length);
    expect(await service.notify('event', data, null)).toHaveLength(ids.length);
    const ends = (await Promise.all(ids.map(endsOf))).flat();
    expect(ends).toHaveLength(ids.length);
    expect(new Set(ends.map(({ notificationId }) => notificationId)).size).toBe(1);
    // More than one turn of the engine, but only one event that stores the bytes.
    expect(ends.filter(({ notificationOffset }) => notificationOffset === null)).toHaveLength(1);
  });

  it('serves other requests while many waits end, and names none that ends otherwise', async () => {
    const waiting = () => server.application.nest.get(Runs).waiters.of('event').length;
    const ids = Array.from({ length: 300 }, (_, index) => `wfr_${index}`);
    await Promise.all(ids.map((id) => runs.begin(server, id)));
    await answered(ids.length);
    const notified = service.notify('event', data, null);
    expect(waiting()).toBeGreaterThan(0);
    expect(waiting()).toBeLessThan(ids.length);
    clock.advance(hourMs);
    const items = await notified;
    while (waiting() > 0) await new Promise((resolve) => setImmediate(resolve));
    const ends = (await Promise.all(ids.map(endsOf))).flat();
    expect(ends).toHaveLength(ids.length);
    expect(ends.filter(({ isTimeout }) => !isTimeout)).toHaveLength(items.length);
    expect(items.filter(({ error }) => error !== undefined)).toEqual([]);
  });

  it('sees a wait that was accepted at the same moment', async () => {
    open = async (runId) => {
      const waits = service.wait('event', waitRequest(runId, 1), null);
      const notified = service.notify('event', data, null);
      await waits;
      expect(await notified).toHaveLength(1);
    };
    await runs.begin(server, 'wfr_same_moment');
    const [, second] = (await runs.delivered(2)) as readonly [Delivery, Delivery];
    expect(lastStep(second)['out']).toBe(data.toString('base64'));
  });

  it('keeps its waiters and their deadlines across a restart', async () => {
    await runs.begin(server, 'wfr_restarted');
    await answered(1);
    const listed = await service.waiters('event');
    clock.advance(hourMs / 2);
    await restart();
    expect(await service.waiters('event')).toEqual(listed);
    const [item] = await service.notify('event', data, null);
    expect(item?.waiter).toEqual(listed[0]);
    const [, second] = (await runs.delivered(2)) as readonly [Delivery, Delivery];
    expect([second.messageId, lastStep(second)['out']]).toEqual([
      item?.messageId,
      data.toString('base64'),
    ]);
  });

  it('ends a wait that timed out while the server was down', async () => {
    await runs.begin(server, 'wfr_away');
    await answered(1);
    await server.stop();
    clock.advance(2 * hourMs);
    server = await startServer({ ports: { clock }, dataDirectory: server.dataDirectory });
    service = server.application.nest.get(EventsService);
    const [, second] = (await runs.delivered(2)) as readonly [Delivery, Delivery];
    expect(lastStep(second)['waitTimeout']).toBe(true);
    expect(await service.notify('event', data, null)).toEqual([]);
  });

  it('keeps an event for a run across a restart', async () => {
    open = async (runId) => {
      await service.wait('another', waitRequest(runId, 9), null);
      expect(await service.notifyRun(runId, 'event', data, null)).toEqual({ ok: true, value: [] });
    };
    await runs.begin(server, 'wfr_kept');
    await answered(1);
    await restart();
    expect(await service.wait('event', waitRequest('wfr_kept', 1), null)).toMatchObject({
      ok: true,
      value: { messageId: expect.stringMatching(/^msg_/) },
    });
    const [, second] = (await runs.delivered(2)) as readonly [Delivery, Delivery];
    expect(lastStep(second)['out']).toBe(data.toString('base64'));
  });

  it('keeps only a limited number of events for a run before it waits for them', async () => {
    open = (runId) => service.wait('another', waitRequest(runId, 9), null);
    await runs.begin(server, 'wfr_too_much');
    await runs.delivered(1);
    const notified = Array.from({ length: 1001 }, () =>
      service.notifyRun('wfr_too_much', 'event', Buffer.alloc(0), null),
    );
    const outcomes = await Promise.all(notified);
    expect(outcomes.filter(({ ok: accepted }) => accepted)).toHaveLength(1000);
    expect(outcomes.at(-1)).toMatchObject({
      ok: false,
      code: 'over_limit',
    });
  });
});
