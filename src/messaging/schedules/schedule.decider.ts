/** What a command means for a schedule, and the trigger that an active schedule wants next. */
import {
  accept,
  type Decider,
  type Decision,
  type Effect,
  type EventEnvelope,
} from '../../engine/decider.js';
import { machineEvolve } from '../../engine/machines/machine-evolve.js';
import { parseCron, parseNewCron } from '../../grammar/cron.js';
import { parseName } from '../../grammar/name.js';
import { Refusal } from '../../grammar/result.js';
import type {
  CreateSchedule,
  ScheduleCommand,
  ScheduleReceipt,
  TriggerSchedule,
  TriggerScheduleNow,
} from './schedule.commands.js';
import { type ScheduleEvent, scheduleKind } from './schedule.events.js';
import { type ScheduleState, scheduleMachine } from './schedule.machine.js';

/** Trigger a schedule when its next time has come. */
export interface TriggerScheduleEffect extends Effect {
  readonly kind: 'triggerSchedule';
  /** Journal offset of the `ScheduleCreated` in force. */
  readonly definitionOffset: number;
}

/** What the decision about a trigger reads besides the schedule. */
export interface ScheduleView {
  /** Whether a message was published by a schedule and is not final. */
  isPending(messageId: string): boolean;
}

const machine = machineEvolve(scheduleMachine);
const paused: ScheduleEvent = { type: 'SchedulePaused' };

function decide(command: ScheduleCommand, state: ScheduleState, view: ScheduleView) {
  if (command.type === 'CreateSchedule') return create(command);
  if (!state.hasTag('there')) return new Refusal('not_found', `schedule ${command.id} not found`);
  switch (command.type) {
    case 'TriggerSchedule':
      return trigger(command, state, view);
    case 'TriggerScheduleNow':
      return triggerNow(command, state, view);
    case 'PauseSchedule':
      return accept<ScheduleEvent>(machine.can(state, paused) ? [paused] : []);
    case 'ResumeSchedule':
      return resume(command.at, state);
    case 'DeleteSchedule':
      return accept<ScheduleEvent>([{ type: 'ScheduleDeleted' }]);
  }
}

function create({ id, at, definition, body }: CreateSchedule): Decision<ScheduleEvent> {
  const name = parseName(id);
  if (!name.ok) return new Refusal('invalid', `the schedule id ${name.message}`);
  const cron = parseNewCron(definition.cron);
  if (!cron.ok) return new Refusal('invalid', `the cron expression ${cron.message}`);
  const nextAt = cron.value.nextTime(at);
  const receipt: ScheduleReceipt = { scheduleId: id };
  return accept([{ type: 'ScheduleCreated', nextAt, ...definition }], receipt, body);
}

/**
 * Whatever the clock did meanwhile, a late trigger is one trigger, and no minute triggers twice,
 * even if the clock was set back.
 */
function trigger(
  { at, dueAt, definitionOffset, messageIds, error }: TriggerSchedule,
  state: ScheduleState,
  view: ScheduleView,
): Decision<ScheduleEvent> {
  const { context } = state;
  const cron = parseCron(context.cron);
  const triggered: ScheduleEvent = {
    type: 'ScheduleTriggered',
    dueAt,
    nextAt: cron.ok ? cron.value.nextTime(Math.max(at, dueAt)) : null,
    // A message that repeated an earlier one was not published.
    messageIds: messageIds.filter((messageId) => view.isPending(messageId)),
    error: cron.ok ? error : `the cron expression ${cron.message}`,
  };
  const isNext = context.nextAt === dueAt && context.definitionOffset === definitionOffset;
  const isWanted = isNext && state.hasTag('triggering');
  if (isWanted && machine.can(state, triggered)) return accept([triggered]);
  return new Refusal('conflict', 'the trigger is no longer needed');
}

/** A paused schedule can be triggered manually, too. */
function triggerNow(
  { at, definitionOffset, messageIds }: TriggerScheduleNow,
  { context }: ScheduleState,
  view: ScheduleView,
): Decision<ScheduleEvent> {
  if (context.definitionOffset !== definitionOffset) {
    return new Refusal('conflict', 'the schedule was overwritten meanwhile: try again');
  }
  const published = messageIds.filter((messageId) => view.isPending(messageId));
  const { nextAt } = context;
  return accept([
    { type: 'ScheduleTriggered', dueAt: at, nextAt, messageIds: published, error: null },
  ]);
}

function resume(at: number, state: ScheduleState): Decision<ScheduleEvent> {
  if (state.hasTag('triggering')) return accept([]);
  const cron = parseCron(state.context.cron);
  if (!cron.ok) return new Refusal('invalid', `the cron expression ${cron.message}`);
  return accept([{ type: 'ScheduleResumed', nextAt: cron.value.nextTime(at) }]);
}

function evolve(
  state: ScheduleState,
  event: ScheduleEvent,
  { at, offset }: EventEnvelope<ScheduleEvent>,
): ScheduleState {
  return machine.evolve(state, { at, offset, ...event });
}

function wants(state: ScheduleState): readonly TriggerScheduleEffect[] {
  const { nextAt, definitionOffset } = state.context;
  if (!state.hasTag('triggering') || nextAt === null) return [];
  const id = `due ${nextAt} as ${definitionOffset}`;
  return [{ kind: 'triggerSchedule', id, notBefore: nextAt, definitionOffset }];
}

/**
 * A trigger other than the one that is due is refused as `conflict`, together with the messages of
 * its turn: it was carried out already, or the schedule has changed since.
 */
export const scheduleDecider: Decider<ScheduleState, ScheduleCommand, ScheduleEvent, ScheduleView> =
  {
    kind: scheduleKind,
    events: {
      ScheduleCreated: [],
      ScheduleTriggered: [],
      SchedulePaused: [],
      ScheduleResumed: [],
      ScheduleDeleted: [],
    },
    initialState: machine.initialState,
    decide,
    evolve,
    handles: machine.can,
    wants,
    isFinal: machine.isFinal,
    checkpoints: { references: ({ context }) => [context.definitionOffset] },
    stored: machine.stored,
    restsIdle: true,
  };
