/**
 * A flow-control key in memory: the limits in force, and how much of its rate window is reserved.
 * The gate keeps what is in flight and what waits.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import type { FlowControlValue } from '../../grammar/flow-control-value.js';
import type { FlowControlEvent } from './flow-control.events.js';
import { nextWindow, noWindow, type RateWindow } from './rate-window.js';

/**
 * Changed limits apply at once, also to waiting messages: the current window keeps its start and
 * its count, but its length and its rate follow the new limits. If more starts are spent than a
 * lower rate allows, no message starts until the window ends; a shorter period may end it now.
 */
export interface FlowControl extends FlowControlValue {
  readonly isPinnedParallelism: boolean;
  readonly isPinnedRate: boolean;
  readonly isPaused: boolean;
  readonly window: RateWindow;
}

/** null = the key is unknown, and nothing limits it. */
export type FlowControlState = FlowControl | null;

/** The state of a key before any limit was named. */
export const unlimited: FlowControl = {
  parallelism: null,
  rate: null,
  periodSeconds: 1,
  isPinnedParallelism: false,
  isPinnedRate: false,
  isPaused: false,
  window: noWindow,
};

/**
 * The state of a key after an event. A new window has the next ordinal, so that grants of an
 * earlier one are not spent in it.
 */
export function evolveFlowControl(
  state: FlowControlState,
  event: FlowControlEvent,
  { at }: Pick<EventEnvelope, 'at'>,
): FlowControlState {
  const control = state ?? unlimited;
  switch (event.type) {
    case 'FlowControlLimited':
      return { ...control, ...limitsOf(event) };
    case 'FlowControlPinned':
      return {
        ...control,
        ...limitsOf(event),
        ...pinsOf(event),
        window: nextWindow(control.window, at),
      };
    case 'FlowControlUnpinned':
      return { ...control, ...pinsOf(event) };
    case 'FlowControlPaused':
      return { ...control, isPaused: true };
    case 'FlowControlResumed':
      return { ...control, isPaused: false };
    case 'RateReset':
      return { ...control, window: nextWindow(control.window, at) };
    case 'GrantsReserved': {
      const { ordinal, startedAt, reserved } = event;
      return { ...control, window: { ordinal, startedAt, reserved } };
    }
    case 'FlowControlForgotten':
      return null;
  }
}

type Pins = Pick<FlowControl, 'isPinnedParallelism' | 'isPinnedRate'>;

function limitsOf({ parallelism, rate, periodSeconds }: FlowControlValue): FlowControlValue {
  return { parallelism, rate, periodSeconds };
}

function pinsOf({ isPinnedParallelism, isPinnedRate }: Pins): Pins {
  return { isPinnedParallelism, isPinnedRate };
}
