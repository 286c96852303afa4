/** The commands of a flow-control key; the key is the id. */
import type { Command } from '../../engine/decider.js';
import type { FlowControlValue } from '../../grammar/flow-control-value.js';

/** The stream kind of flow-control keys. */
export const flowControlKind = 'flow-control';

/** A message was published with these limits: the last publish governs what is not pinned. */
export interface NameFlowControl extends Command {
  readonly type: 'NameFlowControl';
  readonly limits: FlowControlValue;
}

/**
 * Hold these limits against what is published, and begin a new rate window; null = not named. Rate
 * and period are one thing: naming either pins both.
 */
export interface PinFlowControl extends Command {
  readonly type: 'PinFlowControl';
  readonly parallelism: number | null;
  readonly rate: number | null;
  readonly periodSeconds: number | null;
}

/** Let the next publish change the limits again; until it comes they stay as they are. */
export interface UnpinFlowControl extends Command {
  readonly type: 'UnpinFlowControl';
  readonly parallelism: boolean;
  readonly rate: boolean;
}

/** Start nothing under this key until it is resumed; what runs may end. */
export interface PauseFlowControl extends Command {
  readonly type: 'PauseFlowControl';
}

/** Start messages of the key again; no event where it is not paused, 404 where it is not known. */
export interface ResumeFlowControl extends Command {
  readonly type: 'ResumeFlowControl';
}

/** Count the rate from zero again, in a window that begins now. */
export interface ResetRate extends Command {
  readonly type: 'ResetRate';
}

/** Reserve starts in the current window; `at` opens a new window if the last has ended. */
export interface ReserveGrants extends Command<ReservedGrants> {
  readonly type: 'ReserveGrants';
  /** Attempts that wait for a grant now. */
  readonly waiting: number;
}

/** What `ReserveGrants` answers: starts of the window `ordinal`, numbered from `first`. */
export interface ReservedGrants {
  readonly ordinal: number;
  readonly first: number;
  /** Past the last one; `first` where the window has none left. */
  readonly end: number;
}

/** Let go of what is known about an idle key. One that is not idle keeps it. */
export interface ForgetFlowControl extends Command {
  readonly type: 'ForgetFlowControl';
}

/** From publishes, operators, the gate, and the sweep of idle keys. */
export type FlowControlCommand =
  | NameFlowControl
  | PinFlowControl
  | UnpinFlowControl
  | PauseFlowControl
  | ResumeFlowControl
  | ResetRate
  | ReserveGrants
  | ForgetFlowControl;
