/** What can have happened to a URL group; its name is the id. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of URL groups. */
export const urlGroupKind = 'url-group';

/** One destination of a group; no two of a group have the same URL. */
export interface UrlGroupEndpoint {
  readonly url: string;
  /** Unique within its group; null = it has none. */
  readonly name: string | null;
}

/** What a publish needs of a group. */
export interface UrlGroup {
  readonly endpoints: readonly UrlGroupEndpoint[];
  /** Default headers, names and values in turn; a publish's own headers win. */
  readonly headers: readonly string[];
}

/** These were added; each stands in for those of its name or its URL that there were before. */
export interface EndpointsUpserted extends DomainEvent {
  readonly type: 'EndpointsUpserted';
  readonly endpoints: readonly UrlGroupEndpoint[];
}

/** These are not called any more; a group without endpoints is gone. */
export interface EndpointsRemoved extends DomainEvent {
  readonly type: 'EndpointsRemoved';
  readonly urls: readonly string[];
}

/** These are the default headers from now on, names and values in turn. */
export interface GroupHeadersSet extends DomainEvent {
  readonly type: 'GroupHeadersSet';
  readonly headers: readonly string[];
}

/** The group is gone with its endpoints and its default headers. */
export interface UrlGroupDeleted extends DomainEvent {
  readonly type: 'UrlGroupDeleted';
}

/** All events of a group's stream, but for its checkpoints. */
export type UrlGroupEvent =
  | EndpointsUpserted
  | EndpointsRemoved
  | GroupHeadersSet
  | UrlGroupDeleted;
