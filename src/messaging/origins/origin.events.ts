/** The events of an origin; the id is its scheme, host and port. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of origins. */
export const originKind = 'origin';

/** No attempt to the origin starts from now on; attempts in flight continue. */
export interface OriginPaused extends DomainEvent {
  readonly type: 'OriginPaused';
}

/** Attempts to the origin start again. */
export interface OriginResumed extends DomainEvent {
  readonly type: 'OriginResumed';
}

/** All events of the stream of an origin, which ends when the origin is resumed. */
export type OriginEvent = OriginPaused | OriginResumed;
