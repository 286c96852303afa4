import { Refusal } from '../../../src/grammar/result.js';
import { fullGrant } from '../../../src/http/identity/grant.js';
import type { Poll, PollTerms } from '../../../src/topics/consume/poll.js';
import { ownedBy } from '../../../src/topics/groups/consumer-group.state.js';
import { Members } from '../../../src/topics/groups/members.js';
import type { ConsumerSession } from '../../../src/topics/sessions/consumer-session.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { settled } from '../../simulation/simulated-server.js';
import { consumerSettings } from '../../support/consumer-commands.js';
import { type GroupWorld, openGroupWorld } from '../groups/group-world.js';

let world: GroupWorld;
let session: ConsumerSession;

beforeEach(async () => {
  const disk = new SimulatedDisk(new SeededRandom(1));
  await disk.makeDirectory('/data');
  await disk.syncDirectory('/');
  world = await openGroupWorld(disk, 1_767_000_000_000, 2);
  await world.service.forConsume('rides', null);
  session = await join('a');
});

async function join(instance: string): Promise<ConsumerSession> {
  const settings = consumerSettings({ offsetReset: 'earliest' });
  const place = { group: 'g', instance };
  const entered = await world.consumers.enter(
    place,
    ['rides'],
    { grant: fullGrant, by: null, received: null },
    () => {
      return { ok: true, value: { settings, strategy: null } };
    },
  );
  if (entered instanceof Refusal) throw new Error(entered.message);
  return entered;
}

async function produce(partition: number, ...values: string[]): Promise<void> {
  const log = (await world.topicLogs.logs('rides'))?.[partition];
  await log?.append(values.map((value) => ({ key: null, value: Buffer.from(value) }))).durable;
}

const pollOf = (terms: Partial<PollTerms> = {}) =>
  world.polls.of(session, {
    until: world.clock.monotonic(),
    maxRecords: 500,
    maxBytes: 1_000_000,
    encoding: 'text',
    mayRead: () => true,
    ...terms,
  });

async function valuesOf(poll: Poll): Promise<string[]> {
  const polled = await poll.run();
  if ('undecided' in polled) throw new Error('nobody said where to begin');
  session.positions.write();
  return polled.parts.flatMap(({ records }) => records.map(({ value }) => String(value)));
}

describe('a poll', () => {
  it('hands out nothing of a partition that is lost while it is read', async () => {
    await produce(0, 'x', 'y');
    const view = world.views.find('g');
    if (view === undefined) throw new Error('there is no group');
    const all = ownedBy(view).get('a') ?? [];
    const seen = new Set<number>();
    // The partition is lost after `ticks` microtasks: before, during and after its read.
    for (let ticks = 0; ticks < 60; ticks += 1) {
      const running = pollOf().run();
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      const lost = session.view(view, []);
      const handedOut = lost.find(({ partition }) => partition === 0)?.position === 2 ? 2 : 0;
      const polled = await running;
      const parts = 'parts' in polled ? polled.parts : [];
      expect(parts.flatMap(({ records }) => records)).toHaveLength(handedOut);
      seen.add(handedOut);
      session.view(view, all);
    }
    expect([...seen].sort()).toEqual([0, 2]);
  });

  it('hands out nothing once it is canceled, and wakes at once', async () => {
    const poll = pollOf({ until: world.clock.monotonic() + 60_000 });
    const running = poll.run();
    await settled();
    poll.cancel();
    await produce(0, 'x');
    expect(await running).toEqual({ parts: [], isLongNext: false, isCut: false });
    expect(await valuesOf(pollOf())).toEqual(['x']);
  });

  it('leaves no timer behind when a record has woken it', async () => {
    await valuesOf(pollOf());
    const armed = world.clock.armed;
    const running = valuesOf(pollOf({ until: world.clock.monotonic() + 60_000 }));
    await settled();
    expect(world.clock.armed).toBe(armed + 1);
    await produce(1, 'x');
    expect(await running).toEqual(['x']);
    expect(world.clock.armed).toBe(armed);
  });

  it('gives each partition its share, and starves none', async () => {
    await produce(0, ...Array.from({ length: 30 }, () => 'many'));
    await produce(2, 'one', 'two');
    const first = await valuesOf(pollOf({ maxRecords: 4 }));
    expect(first.sort()).toEqual(['many', 'many', 'one', 'two']);
  });

  it('always returns one record, however large, and then as many as fit', async () => {
    await produce(0, 'x'.repeat(100), 'y'.repeat(100), 'z'.repeat(5000), 'a', 'b');
    const sizes = async () =>
      (await valuesOf(pollOf({ maxBytes: 200 }))).map((value) => value.length);
    expect([await sizes(), await sizes(), await sizes(), await sizes()]).toEqual([
      [100, 100],
      [5000],
      [1, 1],
      [],
    ]);
  });

  it('starts at the current start of the log if its position was trimmed', async () => {
    await produce(0, 'gone', 'gone too');
    expect(await valuesOf(pollOf({ maxRecords: 1 }))).toEqual(['gone']);
    const log = (await world.topicLogs.logs('rides'))?.[0];
    await log?.roll();
    await produce(0, 'kept');
    await log?.trimTo(2);
    expect(await valuesOf(pollOf())).toEqual(['kept']);
  });

  it('waits for the rebalance if a log is dropped, without polling continuously', async () => {
    let looks = 0;
    const mayRead = () => {
      looks += 1;
      return looks < 1000;
    };
    const running = pollOf({ until: world.clock.monotonic() + 60_000, mayRead }).run();
    await settled();
    for (const log of (await world.topicLogs.logs('rides')) ?? []) await log.stop();
    await settled();
    expect(looks).toBeLessThan(100);
    session.view({ generation: 2, members: Members.none }, []);
    expect(await running).toEqual({ parts: [], isLongNext: false, isCut: false });
  });

  it('resets no offset of a partition that another instance owns meanwhile', async () => {
    await produce(0, 'x', 'y');
    await produce(1, 'gone', 'gone too');
    const log = (await world.topicLogs.logs('rides'))?.[1];
    await log?.roll();
    await log?.trimTo(2);
    await world.starts.resolve(session);
    const view = world.views.find('g');
    if (view === undefined) throw new Error('there is no group');
    const all = ownedBy(view).get('a') ?? [];
    for (let ticks = 0; ticks < 60; ticks += 1) {
      for (const own of session.positions.all) if (own.partition < 2) own.position = 0;
      const running = pollOf().run();
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      session.view(view, []);
      const place = { topic: 'rides', partition: 1 };
      world.offsets.commit('g', [{ ...place, offset: 2 }], world.clock.now());
      await running;
      expect(world.offsets.find('g', place)).toMatchObject({ committed: 2, start: null });
      session.view(view, all);
      await world.starts.resolve(session);
    }
  });
});
