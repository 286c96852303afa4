/** What can have happened to an origin; scheme, host and port are its id. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of origins. */
export const originKind = 'origin';

/** No attempt to it starts from now on; those in flight go on. */
export interface OriginPaused extends DomainEvent {
  readonly type: 'OriginPaused';
}

/** Attempts to it start again. */
export interface OriginResumed extends DomainEvent {
  readonly type: 'OriginResumed';
}

/** All events of an origin's stream, which ends when it is resumed. */
export type OriginEvent = OriginPaused | OriginResumed;
