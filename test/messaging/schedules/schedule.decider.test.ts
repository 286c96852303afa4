import type { ScheduleCommand } from '../../../src/messaging/schedules/schedule.commands.js';
import { scheduleDecider } from '../../../src/messaging/schedules/schedule.decider.js';
import type { ScheduleEvent } from '../../../src/messaging/schedules/schedule.events.js';
import { epochMs, given } from '../../support/given.js';
import { scheduleDefinition } from '../../support/schedule-definition.js';

const minute = 60_000;
const kind = scheduleDecider.kind;
const id = 'nightly';
/** 2025-12-29T09:20:00Z is a full five minutes: the next one is at :25. */
const at = epochMs;
const dueAt = epochMs + 5 * minute;

const create = (cron = '*/5 * * * *', scheduleId = id): ScheduleCommand => ({
  type: 'CreateSchedule',
  kind,
  id: scheduleId,
  at,
  definition: scheduleDefinition({ cron }),
  body: Buffer.from('wake up'),
});
const trigger = (
  changes: { at?: number; dueAt?: number; definitionOffset?: number; error?: string } = {},
): ScheduleCommand => ({
  type: 'TriggerSchedule',
  kind,
  id,
  at: dueAt,
  dueAt,
  definitionOffset: 0,
  messageIds: ['msg_a', 'msg_repeated'],
  error: null,
  ...changes,
});
const pause: ScheduleCommand = { type: 'PauseSchedule', kind, id, at };
const resume = (time = at): ScheduleCommand => ({ type: 'ResumeSchedule', kind, id, at: time });
const remove: ScheduleCommand = { type: 'DeleteSchedule', kind, id, at };

const created: ScheduleEvent = { type: 'ScheduleCreated', ...scheduleDefinition(), nextAt: dueAt };
const paused: ScheduleEvent = { type: 'SchedulePaused' };
const triggered: ScheduleEvent = {
  type: 'ScheduleTriggered',
  dueAt,
  nextAt: dueAt + 5 * minute,
  messageIds: ['msg_a'],
  error: null,
};

const view = { isPending: (messageId: string) => messageId === 'msg_a' };
const schedule = (...history: readonly ScheduleEvent[]) => given(scheduleDecider, view, ...history);

describe('creating a schedule', () => {
  it('makes it want its first trigger and stores its body beside the event', () => {
    const { events, result, wants } = schedule().when(create());
    expect(events).toEqual([created]);
    expect(result).toEqual({ scheduleId: id });
    expect(wants).toEqual([
      {
        kind: 'triggerSchedule',
        id: `due ${dueAt} as 0`,
        notBefore: dueAt,
        definitionOffset: 0,
      },
    ]);
    const decision = scheduleDecider.decide(create(), schedule().state, view);
    expect(decision).toMatchObject({ body: Buffer.from('wake up') });
  });

  it.each(['0 0 30 2 *', '* * * *', '*/61 * * * *', 'CRON_TZ=Nope/City * * * * *'])(
    'refuses %j',
    (cron) => {
      expect(schedule().when(create(cron)).rejected).toMatchObject({
        code: 'invalid',
        message: expect.stringMatching(/^the cron expression /),
      });
    },
  );

  it.each(['', 'a b', 'ä', 'x'.repeat(257)])('refuses the id %j', (scheduleId) => {
    expect(schedule().when(create('* * * * *', scheduleId)).rejected).toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/^the schedule id /),
    });
  });

  it('overwrites the one with this id: another definition, the same creation time', () => {
    const { state, wants } = schedule(created, triggered).when(create('0 0 * * *'));
    expect(state?.context).toMatchObject({
      cron: '0 0 * * *',
      createdAt: epochMs,
      definitionOffset: 2,
      lastAt: epochMs + 1000,
    });
    const midnight = Date.UTC(2025, 11, 30);
    expect(wants).toMatchObject([{ notBefore: midnight, definitionOffset: 2 }]);
  });

  it('does not resume a paused one', () => {
    const { state, wants } = schedule(created, paused).when(create('0 0 * * *'));
    expect(state?.value).toBe('paused');
    expect(state?.context.cron).toBe('0 0 * * *');
    expect(wants).toEqual([]);
  });

  it('forgets why the last trigger of the old definition failed', () => {
    const failed: ScheduleEvent = { ...triggered, messageIds: [], error: 'nobody there' };
    expect(schedule(created, failed).when(create()).state?.context.error).toBeNull();
  });
});

describe('a trigger', () => {
  it('continues an old schedule whose cron would be refused today', () => {
    const old: ScheduleEvent = { ...created, ...scheduleDefinition({ cron: '*/61 * * * *' }) };
    const { events } = schedule(old).when(trigger());
    expect(events).toMatchObject([{ nextAt: expect.any(Number), error: null }]);
    expect(schedule(old, paused).when(resume()).events).toMatchObject([
      { type: 'ScheduleResumed', nextAt: expect.any(Number) },
    ]);
  });

  it('records the published messages and wants the next trigger', () => {
    const { events, wants } = schedule(created).when(trigger());
    expect(events).toEqual([triggered]);
    expect(wants).toMatchObject([{ notBefore: dueAt + 5 * minute }]);
  });

  it('that is late is a single one: missed ones are not made up for', () => {
    const { events } = schedule(created).when(trigger({ at: dueAt + 3 * 86_400_000 + 1 }));
    expect(events).toMatchObject([{ dueAt, nextAt: dueAt + 3 * 86_400_000 + 5 * minute }]);
  });

  it('does not repeat its minute when the clock was set back', () => {
    const { events } = schedule(created).when(trigger({ at: dueAt - 60 * minute }));
    expect(events).toMatchObject([{ nextAt: dueAt + 5 * minute }]);
  });

  it('counts even if there was no endpoint to publish to, and says why', () => {
    const { state } = schedule(created).when(trigger({ error: 'URL group g not found' }));
    expect(state?.context).toMatchObject({
      error: 'URL group g not found',
      lastAt: epochMs + 1000,
    });
    expect(schedule(created, { ...triggered, error: 'x' }, triggered).state.context.error).toBe(
      null,
    );
  });

  it.each([
    ['of another time', [created], trigger({ dueAt: dueAt + minute })],
    ['that has been', [created, triggered], trigger()],
    ['of an overwritten definition', [created, created], trigger()],
    ['of a paused schedule', [created, paused], trigger()],
  ] as const)('%s is refused', (_what, history, command) => {
    expect(schedule(...history).when(command).rejected?.code).toBe('conflict');
  });
});

describe('pausing and resuming', () => {
  it('wants nothing while it is paused', () => {
    const { events, wants } = schedule(created).when(pause);
    expect(events).toEqual([paused]);
    expect(wants).toEqual([]);
  });

  it('continues with the next trigger, without those in between', () => {
    const { events, wants } = schedule(created, paused).when(resume(dueAt + 17 * minute));
    const nextAt = dueAt + 20 * minute;
    expect(events).toEqual([{ type: 'ScheduleResumed', nextAt }]);
    expect(wants).toMatchObject([{ notBefore: nextAt }]);
  });

  it('changes nothing when it is repeated', () => {
    expect(schedule(created, paused).when(pause).events).toEqual([]);
    expect(schedule(created).when(resume()).events).toEqual([]);
  });
});

describe('deleting', () => {
  it('ends a schedule, paused or not', () => {
    for (const history of [[created], [created, paused]]) {
      const { events, isFinal, wants } = schedule(...history).when(remove);
      expect(events).toEqual([{ type: 'ScheduleDeleted' }]);
      expect(isFinal).toBe(true);
      expect(wants).toEqual([]);
    }
  });
});

describe('a schedule that does not exist', () => {
  it.each([
    ['triggered', trigger()],
    ['paused', pause],
    ['resumed', resume()],
    ['deleted', remove],
  ])('cannot be %s', (_what, command) => {
    expect(schedule().when(command).rejected).toEqual({
      code: 'not_found',
      message: 'schedule nightly not found',
    });
  });
});
