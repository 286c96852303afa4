/** The commands of an origin. */
import type { Command } from '../../engine/decider.js';

/** Start no attempt to the origin until it is resumed. */
export interface PauseOrigin extends Command {
  readonly type: 'PauseOrigin';
}

/** Let attempts to the origin start again. */
export interface ResumeOrigin extends Command {
  readonly type: 'ResumeOrigin';
}

/** All commands of an origin, from `/admin/origins`. */
export type OriginCommand = PauseOrigin | ResumeOrigin;
