/** The commands of a URL group; its name is the id. */
import type { Command } from '../../engine/decider.js';
import type { UrlGroupEndpoint } from './url-group.events.js';

/** Which endpoints are meant: those that have this URL and this name; null = any. */
export interface EndpointMatch {
  readonly url: string | null;
  readonly name: string | null;
}

/** Add endpoints, to a new group if there is none: same name, new URL; same URL, new name. */
export interface UpsertEndpoints extends Command {
  readonly type: 'UpsertEndpoints';
  readonly endpoints: readonly UrlGroupEndpoint[];
}

/** Remove whatever matches; the last one takes the group with it. */
export interface RemoveEndpoints extends Command {
  readonly type: 'RemoveEndpoints';
  readonly endpoints: readonly EndpointMatch[];
}

/** Replace the default headers: names and values in turn. */
export interface SetGroupHeaders extends Command {
  readonly type: 'SetGroupHeaders';
  readonly headers: readonly string[];
}

/** Let go of a group; there may be none. */
export interface DeleteUrlGroup extends Command {
  readonly type: 'DeleteUrlGroup';
}

/** From `/v2/topics`. */
export type UrlGroupCommand = UpsertEndpoints | RemoveEndpoints | SetGroupHeaders | DeleteUrlGroup;
