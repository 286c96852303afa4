/** The commands of an origin. */
import type { Command } from '../../engine/decider.js';

/** Start no attempt to it until it is resumed. */
export interface PauseOrigin extends Command {
  readonly type: 'PauseOrigin';
}

/** Let attempts to it start. */
export interface ResumeOrigin extends Command {
  readonly type: 'ResumeOrigin';
}

/** From `/admin/origins`. */
export type OriginCommand = PauseOrigin | ResumeOrigin;
