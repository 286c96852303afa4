/** The events of a URL group; the id is its name. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of URL groups. */
export const urlGroupKind = 'url-group';

/** One destination of a group; URLs are unique within a group. */
export interface UrlGroupEndpoint {
  readonly url: string;
  /** Unique within the group; null = the endpoint has no name. */
  readonly name: string | null;
}

/** The parts of a group that a publish needs. */
export interface UrlGroup {
  readonly endpoints: readonly UrlGroupEndpoint[];
  /** Default headers, names and values in turn; headers of the publish win. */
  readonly headers: readonly string[];
}

/** These endpoints were added; each replaces earlier ones with its name or its URL. */
export interface EndpointsUpserted extends DomainEvent {
  readonly type: 'EndpointsUpserted';
  readonly endpoints: readonly UrlGroupEndpoint[];
}

/** Endpoints with these URLs were removed; a group without endpoints no longer exists. */
export interface EndpointsRemoved extends DomainEvent {
  readonly type: 'EndpointsRemoved';
  readonly urls: readonly string[];
}

/** The group has these default headers from now on, names and values in turn. */
export interface GroupHeadersSet extends DomainEvent {
  readonly type: 'GroupHeadersSet';
  readonly headers: readonly string[];
}

/** The group was deleted with its endpoints and its default headers. */
export interface UrlGroupDeleted extends DomainEvent {
  readonly type: 'UrlGroupDeleted';
}

/** All events of the stream of a group, except checkpoints. */
export type UrlGroupEvent =
  | EndpointsUpserted
  | EndpointsRemoved
  | GroupHeadersSet
  | UrlGroupDeleted;
