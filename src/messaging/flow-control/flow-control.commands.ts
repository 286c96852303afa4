/** The commands of a flow-control key; the id is the key. */
import type { Command } from '../../engine/decider.js';
import type { FlowControlValue } from '../../grammar/flow-control-value.js';

/** The stream kind of flow-control keys. */
export const flowControlKind = 'flow-control';

/** Apply the limits of a published message: the last publish wins, unless a limit is pinned. */
export interface NameFlowControl extends Command {
  readonly type: 'NameFlowControl';
  readonly limits: FlowControlValue;
}

/**
 * Fix these limits, whatever later publishes say, and begin a new rate window; null = not named.
 * Rate and period belong together: naming either pins both.
 */
export interface PinFlowControl extends Command {
  readonly type: 'PinFlowControl';
  readonly parallelism: number | null;
  readonly rate: number | null;
  readonly periodSeconds: number | null;
}

/** Let the next publish change the limits again; until then they stay as they are. */
export interface UnpinFlowControl extends Command {
  readonly type: 'UnpinFlowControl';
  readonly parallelism: boolean;
  readonly rate: boolean;
}

/** Start nothing under this key until it is resumed; attempts in flight may end. */
export interface PauseFlowControl extends Command {
  readonly type: 'PauseFlowControl';
}

/** Start messages of the key again; no event if it is not paused, 404 if it is not known. */
export interface ResumeFlowControl extends Command {
  readonly type: 'ResumeFlowControl';
}

/** Count the rate from zero again, in a window that begins now. */
export interface ResetRate extends Command {
  readonly type: 'ResetRate';
}

/** Reserve starts in the current window; if it has ended, a new window begins at `at`. */
export interface ReserveGrants extends Command<ReservedGrants> {
  readonly type: 'ReserveGrants';
  /** Attempts that wait for a grant now. */
  readonly waiting: number;
}

/** The result of `ReserveGrants`: starts of the window `ordinal`, numbered from `first`. */
export interface ReservedGrants {
  readonly ordinal: number;
  readonly first: number;
  /** One past the last start; equal to `first` if the window has none left. */
  readonly end: number;
}

/** Forget an idle key. A key that is not idle is kept. */
export interface ForgetFlowControl extends Command {
  readonly type: 'ForgetFlowControl';
}

/** All commands of a key: from publishes, operators, the gate, and the sweep of idle keys. */
export type FlowControlCommand =
  | NameFlowControl
  | PinFlowControl
  | UnpinFlowControl
  | PauseFlowControl
  | ResumeFlowControl
  | ResetRate
  | ReserveGrants
  | ForgetFlowControl;
