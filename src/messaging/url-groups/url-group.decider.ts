/** What a command means for a URL group: a name for many destinations. */
import { accept, type Decider, type Decision } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import type {
  EndpointMatch,
  RemoveEndpoints,
  SetGroupHeaders,
  UpsertEndpoints,
  UrlGroupCommand,
} from './url-group.commands.js';
import {
  type UrlGroup,
  type UrlGroupEndpoint,
  type UrlGroupEvent,
  urlGroupKind,
} from './url-group.events.js';

/** The state of a group; without endpoints it does not exist. Times are Unix milliseconds. */
export interface UrlGroupState extends UrlGroup {
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The most endpoints of a group: a publish to it makes as many messages. */
export const endpointsMax = 1000;

const absent: UrlGroupState = { endpoints: [], headers: [], createdAt: 0, updatedAt: 0 };
const nothing: Decision<UrlGroupEvent> = accept<UrlGroupEvent>([]);

function decide(command: UrlGroupCommand, state: UrlGroupState): Decision<UrlGroupEvent> {
  switch (command.type) {
    case 'UpsertEndpoints':
      return upsert(command, state);
    case 'RemoveEndpoints':
      return remove(command, state);
    case 'SetGroupHeaders':
      return setHeaders(command, state);
    case 'DeleteUrlGroup':
      // Published clients delete a group before they create it, and expect no error then.
      return exists(state) ? accept([{ type: 'UrlGroupDeleted' }]) : nothing;
  }
}

/** A command that changes nothing causes no event. Too long a list is refused before merging. */
function upsert({ endpoints }: UpsertEndpoints, state: UrlGroupState): Decision<UrlGroupEvent> {
  const after = endpoints.length > endpointsMax ? endpoints : merged(state.endpoints, endpoints);
  if (after.length > endpointsMax) {
    return new Refusal('over_limit', `a URL group has at most ${endpointsMax} endpoints`);
  }
  const isAsBefore = JSON.stringify(after) === JSON.stringify(state.endpoints);
  return isAsBefore ? nothing : accept([{ type: 'EndpointsUpserted', endpoints }]);
}

function remove({ id, endpoints }: RemoveEndpoints, state: UrlGroupState): Decision<UrlGroupEvent> {
  if (endpoints.length > endpointsMax) {
    return new Refusal('over_limit', `at most ${endpointsMax} endpoints are removed at once`);
  }
  if (!exists(state)) return missing(id);
  const isSelected = (endpoint: UrlGroupEndpoint) =>
    endpoints.some((match) => matches(endpoint, match));
  const urls = state.endpoints.filter(isSelected).map(({ url }) => url);
  return urls.length === 0
    ? new Refusal('not_found', `URL group ${id} has no such endpoint`)
    : accept([{ type: 'EndpointsRemoved', urls }]);
}

function setHeaders(command: SetGroupHeaders, state: UrlGroupState): Decision<UrlGroupEvent> {
  const { id, headers } = command;
  if (!exists(state)) return missing(id);
  const isAsBefore = JSON.stringify(headers) === JSON.stringify(state.headers);
  return isAsBefore ? nothing : accept([{ type: 'GroupHeadersSet', headers }]);
}

function missing(id: string): Decision<UrlGroupEvent> {
  return new Refusal('not_found', `URL group ${id} not found`);
}

function evolve(state: UrlGroupState, event: UrlGroupEvent, at: number): UrlGroupState {
  const touched = { ...state, createdAt: exists(state) ? state.createdAt : at, updatedAt: at };
  switch (event.type) {
    case 'EndpointsUpserted':
      return { ...touched, endpoints: merged(state.endpoints, event.endpoints) };
    case 'EndpointsRemoved': {
      const urls = new Set(event.urls);
      return { ...touched, endpoints: state.endpoints.filter(({ url }) => !urls.has(url)) };
    }
    case 'GroupHeadersSet':
      return { ...touched, headers: event.headers };
    case 'UrlGroupDeleted':
      return absent;
  }
}

/**
 * Each added endpoint replaces the first one that has its name or its URL, and any other such
 * endpoint is removed. Adding a URL without a name keeps the existing name.
 */
function merged(
  endpoints: readonly UrlGroupEndpoint[],
  added: readonly UrlGroupEndpoint[],
): readonly UrlGroupEndpoint[] {
  const all = [...endpoints];
  for (const { url, name } of added) {
    const isSame = (other: UrlGroupEndpoint) =>
      other.url === url || (name !== null && other.name === name);
    const first = all.findIndex(isSame);
    if (first < 0) {
      all.push({ url, name });
      continue;
    }
    all[first] = { url, name: name ?? all[first]?.name ?? null };
    const second = all.findIndex((other, index) => index > first && isSame(other));
    if (second >= 0) all.splice(second, 1);
  }
  return all;
}

function matches(endpoint: UrlGroupEndpoint, { url, name }: EndpointMatch): boolean {
  return (url === null || url === endpoint.url) && (name === null || name === endpoint.name);
}

function exists({ endpoints }: UrlGroup): boolean {
  return endpoints.length > 0;
}

/**
 * A command that changes nothing is accepted without an event, and so is the deletion of a group
 * that does not exist. Messages published before a change keep their endpoint.
 */
export const urlGroupDecider: Decider<UrlGroupState, UrlGroupCommand, UrlGroupEvent> = {
  kind: urlGroupKind,
  events: { EndpointsUpserted: [], EndpointsRemoved: [], GroupHeadersSet: [], UrlGroupDeleted: [] },
  initialState: () => absent,
  decide,
  evolve: (state, event, { at }) => evolve(state, event, at),
  wants: () => [],
  isFinal: (state) => !exists(state),
  checkpoints: { references: () => [] },
};
