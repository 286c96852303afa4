/** Schedules in a complete server, on a clock that the test moves. */
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

/** Successive servers on one disk, and the requests that reached the destinations. */
class ScheduleSimulation {
  private constructor(
    readonly world: SimulatedWorld,
    public server: SimulatedServer,
  ) {}

  static async build(): Promise<ScheduleSimulation> {
    const world = new SimulatedWorld(new SeededRandom(1));
    world.isMoody = false;
    const disk = new SimulatedDisk(new SeededRandom(2));
    return new ScheduleSimulation(world, await SimulatedServer.start(disk, world, startsAt, 3));
  }

  /** The power fails, and returns `downMs` later. */
  async restart(downMs: number): Promise<void> {
    const { disk, clock } = this.server;
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
    expect(await outcome).toMatchObject([{ ok: true }]);
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

  /** Gives the URL group `group` endpoints of these names. */
  endpoints = (...names: readonly string[]) =>
    this.ask({
      type: 'UpsertEndpoints',
      kind: urlGroupKind,
      id: 'group',
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

  /** The triggers of a schedule in the journal. */
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
    const simulation = await ScheduleSimulation.build();
    await simulation.create();
    await simulation.pass(3 * minute);
    expect(simulation.calledAt).toEqual([60, 120, 180]);
    expect(simulation.world.calls.map(({ body }) => body)).toEqual([
      'wake up',
      'wake up',
      'wake up',
    ]);
    expect(new Set(simulation.world.calls.map(({ messageId }) => messageId)).size).toBe(3);
    const triggers = await simulation.triggers();
    expect(triggers.map(({ messageIds }) => messageIds[0])).toEqual(
      simulation.world.calls.map(({ messageId }) => messageId),
    );
  });

  it('delays each message as its definition says', async () => {
    const simulation = await ScheduleSimulation.build();
    await simulation.create({}, { delayMs: 10 * second });
    await simulation.pass(2.5 * minute);
    expect(simulation.calledAt).toEqual([70, 130]);
  });

  it('publishes the new definition after it was overwritten', async () => {
    const simulation = await ScheduleSimulation.build();
    await simulation.create();
    await simulation.pass(90 * second);
    await simulation.create({ url: 'https://example.com/new' }, {}, 'new');
    await simulation.pass(minute);
    expect(simulation.world.calls.map(({ url, body }) => [url, body])).toEqual([
      ['https://example.com/hook', 'wake up'],
      ['https://example.com/new', 'new'],
    ]);
  });

  it('skips what is due while it is paused', async () => {
    const simulation = await ScheduleSimulation.build();
    await simulation.create();
    await simulation.pass(90 * second);
    await simulation.pause('PauseSchedule');
    await simulation.pass(3 * minute);
    await simulation.pause('ResumeSchedule');
    await simulation.pass(minute);
    expect(simulation.calledAt).toEqual([60, 300]);
  });

  it('stops triggering once it is deleted, and its messages are not affected', async () => {
    const simulation = await ScheduleSimulation.build();
    await simulation.create({}, { delayMs: 5 * minute });
    await simulation.pass(minute);
    const at = simulation.server.clock.now();
    await simulation.ask({ type: 'DeleteSchedule', kind: scheduleKind, id: 'often', at });
    await simulation.pass(hour);
    expect(simulation.calledAt).toEqual([360]);
  });

  it('triggers even if it repeats an earlier message, and names its messages', async () => {
    const simulation = await ScheduleSimulation.build();
    await simulation.create({}, { deduplicationKey: 'id:once' });
    await simulation.pass(3 * minute);
    expect(simulation.calledAt).toEqual([60]);
    const triggers = await simulation.triggers();
    expect(triggers.map(({ messageIds }) => messageIds.length)).toEqual([1, 0, 0]);
  });
});

describe('a schedule of a URL group', () => {
  const toGroup = { url: null, topicName: 'group' };
  const called = ({ world }: ScheduleSimulation) =>
    world.calls.map(({ url }) => url.slice(20)).sort();

  it('publishes to the endpoints that the group has at that time', async () => {
    const simulation = await ScheduleSimulation.build();
    await simulation.endpoints('one');
    await simulation.create(toGroup);
    await simulation.pass(90 * second);
    await simulation.endpoints('two');
    await simulation.pass(minute);
    expect(called(simulation)).toEqual(['one', 'one', 'two']);
    expect(simulation.world.calls.every(({ body }) => body === 'wake up')).toBe(true);
    expect(simulation.schedule.messageIds).toHaveLength(2);
  });

  it('counts without a message, and says why, while there is no such group', async () => {
    const simulation = await ScheduleSimulation.build();
    await simulation.create(toGroup);
    await simulation.pass(90 * second);
    expect(simulation.schedule).toMatchObject({
      error: 'URL group group not found',
      lastAt: startsAt + minute,
      messageIds: [],
    });
    await simulation.endpoints('one');
    await simulation.pass(minute);
    expect(simulation.schedule.error).toBeNull();
    expect(called(simulation)).toEqual(['one']);
  });

  it('publishes once to each endpoint of a large group', async () => {
    const simulation = await ScheduleSimulation.build();
    const names = Array.from({ length: 600 }, (_, index) => `${index}`);
    await simulation.endpoints(...names);
    await simulation.create(toGroup);
    await simulation.pass(70 * second);
    expect(called(simulation)).toEqual([...names].sort());
    expect(simulation.schedule.messageIds).toHaveLength(600);
  });
});

describe('schedules that are due at once', () => {
  const ids = Array.from({ length: 100 }, (_, index) => `schedule-${index}`).sort();
  const bodies = ({ world }: ScheduleSimulation) => world.calls.map(({ body }) => body).sort();

  it('trigger once each, even more than may run at a time', async () => {
    const simulation = await ScheduleSimulation.build();
    for (const id of ids) await simulation.create({}, {}, id, id);
    await simulation.pass(70 * second);
    expect(bodies(simulation)).toEqual(ids);
  });

  it('trigger once each after a server was down, however long they were due', async () => {
    const simulation = await ScheduleSimulation.build();
    for (const [index, id] of ids.entries()) {
      await simulation.create({ cron: `${21 + (index % 5)} 9 * * *` }, {}, id, id);
    }
    await simulation.restart(20 * minute);
    await simulation.pass(second);
    expect(bodies(simulation)).toEqual(ids);
    await simulation.pass(hour);
    expect(bodies(simulation)).toEqual(ids);
  });
});

describe('a schedule and a server that was down', () => {
  it('triggers once for all that was missed, and then on time', async () => {
    const simulation = await ScheduleSimulation.build();
    await simulation.create();
    await simulation.pass(90 * second);
    await simulation.restart(10 * minute);
    expect(simulation.calledAt).toEqual([60, 690]);
    await simulation.pass(minute);
    expect(simulation.calledAt).toEqual([60, 690, 720]);
    const triggers = await simulation.triggers();
    expect(triggers.map(({ dueAt }) => (dueAt - startsAt) / second)).toEqual([60, 120, 720]);
  });

  it('waits for its time when nothing was missed', async () => {
    const simulation = await ScheduleSimulation.build();
    await simulation.create();
    await simulation.restart(30 * second);
    expect(simulation.calledAt).toEqual([]);
    await simulation.pass(30 * second);
    expect(simulation.calledAt).toEqual([60]);
  });

  it('stays paused', async () => {
    const simulation = await ScheduleSimulation.build();
    await simulation.create();
    await simulation.pause('PauseSchedule');
    await simulation.restart(hour);
    await simulation.pass(hour);
    expect(simulation.calledAt).toEqual([]);
  });
});

describe('a schedule and a clock that is set', () => {
  it('forward: triggers once for all that was skipped, within a minute', async () => {
    const simulation = await ScheduleSimulation.build();
    await simulation.create({ cron: '0 * * * *' });
    const { clock } = simulation.server;
    clock.set(startsAt + 10 * hour);
    await simulation.pass(minute);
    expect(simulation.world.calls).toHaveLength(1);
    expect(simulation.schedule.nextAt).toBe(startsAt + 10 * hour + 40 * minute);
  });

  it('back: triggers no minute twice', async () => {
    const simulation = await ScheduleSimulation.build();
    await simulation.create();
    await simulation.pass(3 * minute);
    const { clock } = simulation.server;
    clock.set(startsAt + minute);
    await simulation.pass(3 * minute);
    expect(simulation.calledAt).toEqual([60, 120, 180, 240]);
    const dues = (await simulation.triggers()).map(({ dueAt }) => dueAt);
    expect(new Set(dues).size).toBe(dues.length);
  });

  it('back, from far ahead: waits for the time it had reached, or for a resume', async () => {
    const simulation = await ScheduleSimulation.build();
    await simulation.create();
    const { clock } = simulation.server;
    clock.set(startsAt + 1000 * hour);
    await simulation.pass(minute);
    clock.set(startsAt);
    await simulation.pass(10 * minute);
    expect(simulation.world.calls).toHaveLength(1);
    await simulation.pause('PauseSchedule');
    await simulation.pause('ResumeSchedule');
    await simulation.pass(3 * minute);
    expect(simulation.world.calls).toHaveLength(4);
  });
});
