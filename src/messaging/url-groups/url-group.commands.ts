/** The commands of a URL group; the id is its name. */
import type { Command } from '../../engine/decider.js';
import type { UrlGroupEndpoint } from './url-group.events.js';

/** Selects endpoints with this URL and this name; null = any. */
export interface EndpointMatch {
  readonly url: string | null;
  readonly name: string | null;
}

/**
 * Add endpoints, and create the group if needed. An endpoint with a known name gets the new URL;
 * one with a known URL gets the new name.
 */
export interface UpsertEndpoints extends Command {
  readonly type: 'UpsertEndpoints';
  readonly endpoints: readonly UrlGroupEndpoint[];
}

/** Remove all matching endpoints; removing the last one removes the group. */
export interface RemoveEndpoints extends Command {
  readonly type: 'RemoveEndpoints';
  readonly endpoints: readonly EndpointMatch[];
}

/** Replace the default headers: names and values in turn. */
export interface SetGroupHeaders extends Command {
  readonly type: 'SetGroupHeaders';
  readonly headers: readonly string[];
}

/** Delete a group; accepted even if it does not exist. */
export interface DeleteUrlGroup extends Command {
  readonly type: 'DeleteUrlGroup';
}

/** All commands of a URL group, from `/v2/topics`. */
export type UrlGroupCommand = UpsertEndpoints | RemoveEndpoints | SetGroupHeaders | DeleteUrlGroup;
