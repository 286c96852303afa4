/** The events of a flow-control key. */
import type { DomainEvent } from '../../engine/decider.js';
import type { FlowControlValue } from '../../grammar/flow-control-value.js';
import type { RateWindow } from './rate-window.js';

/** A publish named other limits, which are in force now. */
export interface FlowControlLimited extends DomainEvent, FlowControlValue {
  readonly type: 'FlowControlLimited';
}

/** An operator fixed the limits, which are in force now, and a new rate window began. */
export interface FlowControlPinned extends DomainEvent, FlowControlValue {
  readonly type: 'FlowControlPinned';
  readonly isPinnedParallelism: boolean;
  readonly isPinnedRate: boolean;
}

/** Publishes may change the limits again that are no longer pinned. */
export interface FlowControlUnpinned extends DomainEvent {
  readonly type: 'FlowControlUnpinned';
  readonly isPinnedParallelism: boolean;
  readonly isPinnedRate: boolean;
}

/** No attempt under the key starts from now on; attempts in flight may end. */
export interface FlowControlPaused extends DomainEvent {
  readonly type: 'FlowControlPaused';
}

/** Messages of the key start again, within its limits. */
export interface FlowControlResumed extends DomainEvent {
  readonly type: 'FlowControlResumed';
}

/** The rate is counted from zero, in a window that began with this event. */
export interface RateReset extends DomainEvent {
  readonly type: 'RateReset';
}

/** Starts were reserved; the window is that afterwards. After a crash all count as spent. */
export interface GrantsReserved extends DomainEvent, RateWindow {
  readonly type: 'GrantsReserved';
}

/** The key was idle and was forgotten, as if it had never been named. */
export interface FlowControlForgotten extends DomainEvent {
  readonly type: 'FlowControlForgotten';
}

/** All events of the stream of a key, except checkpoints. */
export type FlowControlEvent =
  | FlowControlLimited
  | FlowControlPinned
  | FlowControlUnpinned
  | FlowControlPaused
  | FlowControlResumed
  | RateReset
  | GrantsReserved
  | FlowControlForgotten;
