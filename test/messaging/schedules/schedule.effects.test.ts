/** Schedules in a whole server, on a clock that the test moves. */
import type { MessageTemplate } from '../../../src/messaging/messages/message.events.js';
import type {
  CreateSchedule,
  ScheduleCommand,
} from '../../../src/messaging/schedules/schedule.commands.js';
import {
  type ScheduleDefinition,
  type ScheduleTriggered,
  scheduleKind,
} from '../../../src/messaging/schedules/schedule.events.js';
import type { ScheduleState } from '../../../src/messaging/schedules/schedule.machine.js';
import type { UrlGroupCommand } from '../../../src/messaging/url-groups/url-group.commands.js';
import { urlGroupKind } from '../../../src/messaging/url-groups/url-group.events.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { SimulatedWorld } from '../../simulation/simulated-endpoints.js';
import { SimulatedServer, settled } from '../../simulation/simulated-server.js';
import { scheduleDefinition } from '../../support/schedule-definition.js';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** 2025-12-29T09:20:00Z */
const startsAt = 1_767_000_000_000;

/** One server after the other on one disk, and what reached the destinations. */
class Town {
  private constructor(
    readonly world: SimulatedWorld,
    public server: SimulatedServer,
  ) {}

  static async build(): Promise<Town> {
    const world = new SimulatedWorld(new SeededRandom(1));
    world.isMoody = false;
    const disk = new SimulatedDisk(new SeededRandom(2));
    return new Town(world, await SimulatedServer.start(disk, world, startsAt, 3));
  }

  /** The power goes, and comes back `downMs` later. */
  async restart(downMs: number): Promise<void> {
    const { disk, clock } = this.server;
    this.server.abandon();
    const at = clock.now() + downMs;
    this.server = await SimulatedServer.start(disk.restart(), this.world, at, 4);
    await this.pass(0);
  }

  async pass(durationMs: number): Promise<void> {
    await this.server.pass(durationMs);
    await settled();
    expect(this.server.failures).toEqual([]);
  }

  async ask(command: ScheduleCommand | UrlGroupCommand): Promise<void> {
    const outcome = this.server.engine.dispatch([command]);
    await settled();
    expect(await outcome).toMatchObject([{ accepted: true }]);
  }

  create(
    changes: Partial<ScheduleDefinition> = {},
    message: Partial<MessageTemplate> = {},
    body = 'wake up',
    id = 'often',
  ): Promise<void> {
    const command: CreateSchedule = {
      type: 'CreateSchedule',
      kind: scheduleKind,
      id,
      at: this.server.clock.now(),
      definition: scheduleDefinition({ cron: '* * * * *', ...changes }, message),
      body: Buffer.from(body),
    };
    return this.ask(command);
  }

  pause = (type: 'PauseSchedule' | 'ResumeSchedule') =>
    this.ask({ type, kind: scheduleKind, id: 'often', at: this.server.clock.now() });

  /** Gives the URL group `town` endpoints of these names. */
  endpoints = (...names: readonly string[]) =>
    this.ask({
      type: 'UpsertEndpoints',
      kind: urlGroupKind,
      id: 'town',
      at: this.server.clock.now(),
      endpoints: names.map((name) => ({ name, url: `https://example.com/${name}` })),
    });

  /** When destinations were called, in seconds since the start. */
  get calledAt(): number[] {
    return this.world.calls.map(({ startedAt }) => (startedAt - startsAt) / second);
  }

  get schedule(): ScheduleState['context'] {
    return (this.server.engine.actors(scheduleKind).stateOf('often') as ScheduleState).context;
  }

  /** What the journal says about its triggers. */
  async triggers(): Promise<ScheduleTriggered[]> {
    const triggers: ScheduleTriggered[] = [];
    for await (const envelopes of this.server.journal.replay()) {
      for (const { event } of envelopes) {
        if (event.type === 'ScheduleTriggered') triggers.push(event as ScheduleTriggered);
      }
    }
    return triggers;
  }
}

describe('a schedule', () => {
  it('publishes its body each time that it is due', async () => {
    const town = await Town.build();
    await town.create();
    await town.pass(3 * minute);
    expect(town.calledAt).toEqual([60, 120, 180]);
    expect(town.world.calls.map(({ body }) => body)).toEqual(['wake up', 'wake up', 'wake up']);
    expect(new Set(town.world.calls.map(({ messageId }) => messageId)).size).toBe(3);
    const triggers = await town.triggers();
    expect(triggers.map(({ messageIds }) => messageIds[0])).toEqual(
      town.world.calls.map(({ messageId }) => messageId),
    );
  });

  it('delays each message by what its definition says', async () => {
    const town = await Town.build();
    await town.create({}, { delayMs: 10 * second });
    await town.pass(2.5 * minute);
    expect(town.calledAt).toEqual([70, 130]);
  });

  it('publishes the new definition after it was overwritten', async () => {
    const town = await Town.build();
    await town.create();
    await town.pass(90 * second);
    await town.create({ url: 'https://example.com/new' }, {}, 'new');
    await town.pass(minute);
    expect(town.world.calls.map(({ url, body }) => [url, body])).toEqual([
      ['https://example.com/hook', 'wake up'],
      ['https://example.com/new', 'new'],
    ]);
  });

  it('skips what is due while it is paused', async () => {
    const town = await Town.build();
    await town.create();
    await town.pass(90 * second);
    await town.pause('PauseSchedule');
    await town.pass(3 * minute);
    await town.pause('ResumeSchedule');
    await town.pass(minute);
    expect(town.calledAt).toEqual([60, 300]);
  });

  it('triggers no more once it is deleted, and what it published lives on', async () => {
    const town = await Town.build();
    await town.create({}, { delayMs: 5 * minute });
    await town.pass(minute);
    const at = town.server.clock.now();
    await town.ask({ type: 'DeleteSchedule', kind: scheduleKind, id: 'often', at });
    await town.pass(hour);
    expect(town.calledAt).toEqual([360]);
  });

  it('triggers although it repeats an earlier message, and names what it published', async () => {
    const town = await Town.build();
    await town.create({}, { deduplicationKey: 'id:once' });
    await town.pass(3 * minute);
    expect(town.calledAt).toEqual([60]);
    const triggers = await town.triggers();
    expect(triggers.map(({ messageIds }) => messageIds.length)).toEqual([1, 0, 0]);
  });
});

describe('a schedule of a URL group', () => {
  const toTown = { url: null, topicName: 'town' };
  const called = ({ world }: Town) => world.calls.map(({ url }) => url.slice(20)).sort();

  it('publishes to the endpoints that the group has at that time', async () => {
    const town = await Town.build();
    await town.endpoints('one');
    await town.create(toTown);
    await town.pass(90 * second);
    await town.endpoints('two');
    await town.pass(minute);
    expect(called(town)).toEqual(['one', 'one', 'two']);
    expect(town.world.calls.every(({ body }) => body === 'wake up')).toBe(true);
    expect(town.schedule.messageIds).toHaveLength(2);
  });

  it('counts without a message and says why, as long as there is no such group', async () => {
    const town = await Town.build();
    await town.create(toTown);
    await town.pass(90 * second);
    expect(town.schedule).toMatchObject({
      error: 'URL group town not found',
      lastAt: startsAt + minute,
      messageIds: [],
    });
    await town.endpoints('one');
    await town.pass(minute);
    expect(town.schedule.error).toBeNull();
    expect(called(town)).toEqual(['one']);
  });

  it('publishes to each endpoint of a large group once', async () => {
    const town = await Town.build();
    const names = Array.from({ length: 600 }, (_, index) => `${index}`);
    await town.endpoints(...names);
    await town.create(toTown);
    await town.pass(70 * second);
    expect(called(town)).toEqual([...names].sort());
    expect(town.schedule.messageIds).toHaveLength(600);
  });
});

describe('schedules that are due at once', () => {
  const ids = Array.from({ length: 100 }, (_, index) => `schedule-${index}`).sort();
  const bodies = ({ world }: Town) => world.calls.map(({ body }) => body).sort();

  it('trigger once each, more than may be on their way at a time', async () => {
    const town = await Town.build();
    for (const id of ids) await town.create({}, {}, id, id);
    await town.pass(70 * second);
    expect(bodies(town)).toEqual(ids);
  });

  it('trigger once each after a server was down, however long each of them was due', async () => {
    const town = await Town.build();
    for (const [index, id] of ids.entries()) {
      await town.create({ cron: `${21 + (index % 5)} 9 * * *` }, {}, id, id);
    }
    await town.restart(20 * minute);
    await town.pass(second);
    expect(bodies(town)).toEqual(ids);
    await town.pass(hour);
    expect(bodies(town)).toEqual(ids);
  });
});

describe('a schedule and a server that was down', () => {
  it('triggers once for all that was missed, and then in time', async () => {
    const town = await Town.build();
    await town.create();
    await town.pass(90 * second);
    await town.restart(10 * minute);
    expect(town.calledAt).toEqual([60, 690]);
    await town.pass(minute);
    expect(town.calledAt).toEqual([60, 690, 720]);
    const triggers = await town.triggers();
    expect(triggers.map(({ dueAt }) => (dueAt - startsAt) / second)).toEqual([60, 120, 720]);
  });

  it('waits for its time when nothing was missed', async () => {
    const town = await Town.build();
    await town.create();
    await town.restart(30 * second);
    expect(town.calledAt).toEqual([]);
    await town.pass(30 * second);
    expect(town.calledAt).toEqual([60]);
  });

  it('stays paused', async () => {
    const town = await Town.build();
    await town.create();
    await town.pause('PauseSchedule');
    await town.restart(hour);
    await town.pass(hour);
    expect(town.calledAt).toEqual([]);
  });
});

describe('a schedule and a clock that is set', () => {
  it('forward: triggers once for all that was skipped, within a minute', async () => {
    const town = await Town.build();
    await town.create({ cron: '0 * * * *' });
    const { clock } = town.server;
    clock.set(startsAt + 10 * hour);
    await town.pass(minute);
    expect(town.world.calls).toHaveLength(1);
    expect(town.schedule.nextAt).toBe(startsAt + 10 * hour + 40 * minute);
  });

  it('back: triggers no minute twice', async () => {
    const town = await Town.build();
    await town.create();
    await town.pass(3 * minute);
    const { clock } = town.server;
    clock.set(startsAt + minute);
    await town.pass(3 * minute);
    expect(town.calledAt).toEqual([60, 120, 180, 240]);
    const dues = (await town.triggers()).map(({ dueAt }) => dueAt);
    expect(new Set(dues).size).toBe(dues.length);
  });
});
