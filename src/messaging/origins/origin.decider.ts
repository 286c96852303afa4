/** What a command means for an origin. Only paused origins have a state. */
import { accept, type Decider } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import type { OriginCommand } from './origin.commands.js';
import { type OriginEvent, originKind } from './origin.events.js';

/** `pausedAt`: when the origin was paused, Unix milliseconds; null = it is not paused. */
export type OriginState = { readonly pausedAt: number } | null;

/** What decisions read besides the origin itself. */
export interface OriginView {
  /** How many origins are paused. */
  readonly size: number;
}

/** More origins than are paused by hand. */
const pausedMax = 1000;

/**
 * Pausing twice is accepted and changes nothing. Answers 409 beyond 1,000 paused origins, and 404
 * to resuming an origin that is not paused.
 */
export const originDecider: Decider<OriginState, OriginCommand, OriginEvent, OriginView> = {
  kind: originKind,
  events: { OriginPaused: [], OriginResumed: [] },
  initialState: () => null,
  decide({ type, id }, state, { size }) {
    if (type === 'PauseOrigin') {
      if (state !== null) return accept([]);
      return size < pausedMax
        ? accept([{ type: 'OriginPaused' }])
        : new Refusal('conflict', `${pausedMax} origins are paused already`);
    }
    return state === null
      ? new Refusal('not_found', `paused origin ${id} not found`)
      : accept([{ type: 'OriginResumed' }]);
  },
  evolve: (_state, { type }, { at }) => (type === 'OriginPaused' ? { pausedAt: at } : null),
  wants: () => [],
  isFinal: (state) => state === null,
};
