/** Finds the targets of a message that is published later; they are looked up then. Pure. */

import { Refusal } from '../../grammar/result.js';
import type { UrlGroup, UrlGroupEndpoint } from './url-group.events.js';

/** The endpoints of a message, or why there are none. */
export type MessageTargets =
  | {
      readonly ok: true;
      readonly endpoints: readonly UrlGroupEndpoint[];
      /** Headers for all endpoints, names and values in turn. */
      readonly headers: readonly string[];
    }
  | Refusal;

/** The target `url`, or the endpoints of the URL group as it is now; one of the two is null. */
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
