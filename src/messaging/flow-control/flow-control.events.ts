/** What can have happened to a flow-control key. */
import type { DomainEvent } from '../../engine/decider.js';
import type { FlowControlValue } from '../../grammar/flow-control-value.js';
import type { RateWindow } from './rate-window.js';

/** A publish brought other limits; these are in force now. */
export interface FlowControlLimited extends DomainEvent, FlowControlValue {
  readonly type: 'FlowControlLimited';
}

/** An operator fixed limits; these are in force now, and a new rate window began. */
export interface FlowControlPinned extends DomainEvent, FlowControlValue {
  readonly type: 'FlowControlPinned';
  readonly isPinnedParallelism: boolean;
  readonly isPinnedRate: boolean;
}

/** Limits may be published again where they are not pinned any more. */
export interface FlowControlUnpinned extends DomainEvent {
  readonly type: 'FlowControlUnpinned';
  readonly isPinnedParallelism: boolean;
  readonly isPinnedRate: boolean;
}

/** Nothing of the key starts from now on; what runs may end. */
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

/** Starts were set aside; the window is as it stands afterwards. A crash spends all of them. */
export interface GrantsReserved extends DomainEvent, RateWindow {
  readonly type: 'GrantsReserved';
}

/** The key was idle, and many are known: it is as if it had never been named. */
export interface FlowControlForgotten extends DomainEvent {
  readonly type: 'FlowControlForgotten';
}

/** All events of a key's stream, but for its checkpoints. */
export type FlowControlEvent =
  | FlowControlLimited
  | FlowControlPinned
  | FlowControlUnpinned
  | FlowControlPaused
  | FlowControlResumed
  | RateReset
  | GrantsReserved
  | FlowControlForgotten;
