/** A URL group as the API shows it (messaging.md 6). Absent values are left out. */
import type { UrlGroupState } from './url-group.decider.js';

/** The object of a group in answers of `/v2/topics`. */
export interface UrlGroupObject {
  readonly name: string;
  /** Unix milliseconds, as is `updatedAt`. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endpoints: readonly { readonly name?: string; readonly url: string }[];
  /** Default headers, by name, with their values as given; omitted if there are none. */
  readonly headers?: Readonly<Record<string, readonly string[]>>;
}

/** The object of one group, whose name is `id`. */
export function urlGroupObject(id: string, group: UrlGroupState): UrlGroupObject {
  const { createdAt, updatedAt, endpoints, headers } = group;
  return {
    name: id,
    createdAt,
    updatedAt,
    endpoints: endpoints.map(({ name, url }) => (name === null ? { url } : { name, url })),
    ...(headers.length > 0 && { headers: headerValues(headers) }),
  };
}

function headerValues(pairs: readonly string[]): Record<string, string[]> {
  // A header may be called `__proto__`: the map must have no prototype to set.
  const values: Record<string, string[]> = Object.create(null);
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const name = pairs[index] ?? '';
    const value = pairs[index + 1] ?? '';
    const known = values[name];
    if (known === undefined) values[name] = [value];
    else known.push(value);
  }
  return values;
}
