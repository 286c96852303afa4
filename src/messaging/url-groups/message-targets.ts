/** Where a message goes that is published later: looked up at that time, not before. Pure. */

import { Refusal } from '../../grammar/result.js';
import type { UrlGroup, UrlGroupEndpoint } from './url-group.events.js';

/** Endpoints, or why there is none. */
export type MessageTargets =
  | {
      readonly ok: true;
      readonly endpoints: readonly UrlGroupEndpoint[];
      /** Headers that all of them get, names and values in turn. */
      readonly headers: readonly string[];
    }
  | Refusal;

/** Those of the one URL, or of the URL group as it is now: one of both is null. */
export function messageTargets(
  url: string | null,
  groupName: string | null,
  findGroup: (name: string) => UrlGroup | undefined,
): MessageTargets {
  if (url !== null) return { ok: true, endpoints: [{ url, name: null }], headers: [] };
  const group = groupName === null ? undefined : findGroup(groupName);
  if (group === undefined) return new Refusal('not_found', `URL group ${groupName} not found`);
  const { endpoints, headers } = group;
  if (endpoints.length === 0) return new Refusal('not_found', `URL group ${groupName} is empty`);
  return { ok: true, endpoints, headers };
}
