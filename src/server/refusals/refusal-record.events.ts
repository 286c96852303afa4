/** Events about requests that were answered 401 or 403. */
import type { DomainEvent } from '../../engine/decider.js';
import type { RefusalReason } from '../inbound/refused-requests.js';

/** The stream kind of refused requests; the id is the address that they came from. */
export const refusalRecordKind = 'refused-requests';

/** The id of the count for all addresses. */
export const allAddresses = 'all';

/** A request was refused; the principal of the event is its caller, as in every event. */
export interface RequestRefused extends DomainEvent {
  readonly type: 'RequestRefused';
  readonly reason: RefusalReason;
  readonly method: string;
  /** The pattern of its route. */
  readonly route: string;
}

/** `count` more requests were refused since `since`. */
export interface RefusalsCounted extends DomainEvent {
  readonly type: 'RefusalsCounted';
  readonly count: number;
  /** In Unix ms. */
  readonly since: number;
}

/** All events of streams of this kind. */
export type RefusalRecordEvent = RequestRefused | RefusalsCounted;
