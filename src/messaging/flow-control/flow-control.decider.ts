/** What a command means for a flow-control key. */
import { accept, type Decider, type Decision } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import {
  type FlowControlCommand,
  flowControlKind,
  type NameFlowControl,
  type PinFlowControl,
  type ReservedGrants,
  type ReserveGrants,
  type UnpinFlowControl,
} from './flow-control.commands.js';
import type { FlowControlEvent } from './flow-control.events.js';
import {
  evolveFlowControl,
  type FlowControl,
  type FlowControlState,
  unlimited,
} from './flow-control.state.js';
import { blockOf, isOver, windowAt } from './rate-window.js';

/** The indexes that the decisions about a key read. */
export interface FlowControlView {
  /** How many messages that name the key are not final. */
  pendingOf(key: string): number;
}

function decide(command: FlowControlCommand, state: FlowControlState, view: FlowControlView) {
  switch (command.type) {
    case 'NameFlowControl':
      return name(command, state);
    case 'PinFlowControl':
      return pin(command, state ?? unlimited);
    case 'UnpinFlowControl':
      return state === null ? missing(command.id) : unpin(command, state);
    case 'PauseFlowControl':
      return state === null ? missing(command.id) : pause(state);
    case 'ResumeFlowControl':
      return state === null ? missing(command.id) : resume(state);
    case 'ResetRate':
      return state === null
        ? missing(command.id)
        : accept<FlowControlEvent>([{ type: 'RateReset' }]);
    case 'ReserveGrants':
      return reserve(command, state ?? unlimited);
    case 'ForgetFlowControl':
      return state !== null && isIdle(state, command.at) && view.pendingOf(command.id) === 0
        ? accept<FlowControlEvent>([{ type: 'FlowControlForgotten' }])
        : nothing;
  }
}

const nothing: Decision<FlowControlEvent> = accept<FlowControlEvent>([]);

/** A mistyped key must not look as if it had been paused. */
function missing(key: string): Decision<FlowControlEvent> {
  return new Refusal('not_found', `flow-control key ${key} not found`);
}

function pause({ isPaused }: FlowControl): Decision<FlowControlEvent> {
  return isPaused ? nothing : accept([{ type: 'FlowControlPaused' }]);
}

function resume({ isPaused }: FlowControl): Decision<FlowControlEvent> {
  return isPaused ? accept([{ type: 'FlowControlResumed' }]) : nothing;
}

/** A publish that changes no limit causes no event. */
function name(command: NameFlowControl, state: FlowControlState): Decision<FlowControlEvent> {
  const held = state ?? unlimited;
  const { parallelism } = held.isPinnedParallelism ? held : command.limits;
  const { rate, periodSeconds } = held.isPinnedRate ? held : command.limits;
  const isAsBefore =
    parallelism === held.parallelism && rate === held.rate && periodSeconds === held.periodSeconds;
  if (state !== null && isAsBefore) return nothing;
  return accept([{ type: 'FlowControlLimited', parallelism, rate, periodSeconds }]);
}

function pin(command: PinFlowControl, held: FlowControl): Decision<FlowControlEvent> {
  const { parallelism, rate, periodSeconds } = command;
  return accept([
    {
      type: 'FlowControlPinned',
      parallelism: parallelism ?? held.parallelism,
      rate: rate ?? held.rate,
      periodSeconds: periodSeconds ?? held.periodSeconds,
      isPinnedParallelism: held.isPinnedParallelism || parallelism !== null,
      isPinnedRate: held.isPinnedRate || rate !== null || periodSeconds !== null,
    },
  ]);
}

function unpin(command: UnpinFlowControl, held: FlowControl): Decision<FlowControlEvent> {
  const isPinnedParallelism = held.isPinnedParallelism && !command.parallelism;
  const isPinnedRate = held.isPinnedRate && !command.rate;
  const isAsBefore =
    isPinnedParallelism === held.isPinnedParallelism && isPinnedRate === held.isPinnedRate;
  if (isAsBefore) return nothing;
  return accept([{ type: 'FlowControlUnpinned', isPinnedParallelism, isPinnedRate }]);
}

/** The limits may have changed since the request, so the answer follows the current ones. */
function reserve(command: ReserveGrants, control: FlowControl): Decision<FlowControlEvent> {
  const { rate, periodSeconds } = control;
  const window = windowAt(control.window, periodSeconds, command.at);
  const { ordinal, reserved: first } = window;
  const count = rate === null ? 0 : blockOf(window, rate, command.waiting);
  const end = first + count;
  const grants: ReservedGrants = { ordinal, first, end };
  return count === 0
    ? accept([], grants)
    : accept([{ type: 'GrantsReserved', ...window, reserved: end }], grants);
}

/** Whether forgetting the key would change nothing visible except its record. */
function isIdle(control: FlowControl, at: number): boolean {
  const { isPaused, isPinnedParallelism, isPinnedRate, rate, periodSeconds, window } = control;
  if (isPaused || isPinnedParallelism || isPinnedRate) return false;
  return rate === null || isOver(window, periodSeconds, at);
}

/** An unknown key is a 404, so that a mistyped key does not look as if it had been paused. */
export const flowControlDecider: Decider<
  FlowControlState,
  FlowControlCommand,
  FlowControlEvent,
  FlowControlView
> = {
  kind: flowControlKind,
  events: {
    FlowControlLimited: [],
    FlowControlPinned: [],
    FlowControlUnpinned: [],
    FlowControlPaused: [],
    FlowControlResumed: [],
    RateReset: [],
    GrantsReserved: [],
    FlowControlForgotten: [],
  },
  initialState: () => null,
  decide,
  evolve: evolveFlowControl,
  wants: () => [],
  isFinal: (state) => state === null,
  checkpoints: { references: () => [] },
};
