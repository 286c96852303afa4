/** What is remembered of requests that were answered 401 or 403. */
import type { DomainEvent } from '../../engine/decider.js';
import type { RefusalReason } from '../inbound/refused-requests.js';

/** The stream kind of refused requests; the id is the address that they came from. */
export const refusalRecordKind = 'refused-requests';

/** The id of what is counted of all addresses. */
export const allAddresses = 'all';

/** A request was refused; who made it stands where that stands for every event. */
export interface RequestRefused extends DomainEvent {
  readonly type: 'RequestRefused';
  readonly reason: RefusalReason;
  readonly method: string;
  /** The pattern of its route. */
  readonly route: string;
}

/** So many more were refused since then. */
export interface RefusalsCounted extends DomainEvent {
  readonly type: 'RefusalsCounted';
  readonly count: number;
  /** Unix milliseconds. */
  readonly since: number;
}

/** All events of streams of that kind. */
export type RefusalRecordEvent = RequestRefused | RefusalsCounted;
