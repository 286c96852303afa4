/** Parses the bodies of requests about URL groups (messaging.md 6). Pure. */
import { z } from 'zod';
import { parseUrl, urlLengthMax } from '../../grammar/destination.js';
import { endsWithTheHop, isHeaderName, isHeaderValue } from '../../grammar/headers.js';
import { parseName } from '../../grammar/name.js';
import { ok, type Refusal, type Result, refused } from '../../grammar/result.js';
import { headerBytesMax, headerCountMax } from '../../http/head-limits.js';
import { readJsonBody } from '../../http/json-body.js';
import type { EndpointMatch } from './url-group.commands.js';
import type { UrlGroupEndpoint } from './url-group.events.js';

/** Returns why a URL may not be called; null = it may. */
export type UrlCheck = (url: URL) => Refusal | null;

const upserted = z.strictObject({
  endpoints: z.array(z.strictObject({ url: z.string(), name: z.string().nullish() })).min(1),
});
const removed = z.strictObject({
  endpoints: z
    .array(
      z
        .strictObject({ url: z.string().nullish(), name: z.string().nullish() })
        .refine(({ url, name }) => (url ?? name ?? null) !== null, 'must have a url or a name'),
    )
    .min(1),
});
const grouped = z.strictObject({
  headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
});

/**
 * Parses `{"endpoints": [{"url", "name"?}]}`. Each URL is checked like the destination of a
 * publish. Two endpoints with the same name are refused, because only one of them would be added.
 */
export function parseUpserted(body: Buffer, check: UrlCheck): Result<readonly UrlGroupEndpoint[]> {
  const read = readJsonBody(body, upserted);
  if (!read.ok) return read;
  const endpoints: UrlGroupEndpoint[] = [];
  const urls = new Map<string, string>();
  for (const [index, endpoint] of read.value.endpoints.entries()) {
    const url = parseEndpointUrl(endpoint.url, check);
    if (!url.ok) return refused(`endpoints[${index}].url: ${url.message}`);
    const name = endpoint.name ?? null;
    const known = name === null ? null : parseName(name);
    if (known?.ok === false) return refused(`endpoints[${index}].name ${known.message}`);
    if (name !== null && (urls.get(name) ?? url.value) !== url.value) {
      return refused(`endpoints[${index}].name is the name of another URL in this request`);
    }
    if (name !== null) urls.set(name, url.value);
    endpoints.push({ url: url.value, name });
  }
  return ok(endpoints);
}

/** Parses `{"endpoints": [{"url"} | {"name"} | {"url", "name"}]}`. */
export function parseRemoved(body: Buffer): Result<readonly EndpointMatch[]> {
  const read = readJsonBody(body, removed);
  if (!read.ok) return read;
  const matches = read.value.endpoints.map(({ url = null, name = null }) => {
    const known = url === null ? null : parseUrl(url);
    return { url: known?.ok ? known.value.text : url, name };
  });
  return ok(matches);
}

/** Parses `{"headers": {"<Name>": ["<value>"]}}` into names and values in turn. */
export function parseGroupHeaders(body: Buffer): Result<readonly string[]> {
  const read = readJsonBody(body, grouped);
  if (!read.ok) return read;
  const pairs: string[] = [];
  for (const [name, values] of Object.entries(read.value.headers)) {
    if (!isHeaderName(name))
      return refused(`headers: ${JSON.stringify(name)} is not a valid header name`);
    if (endsWithTheHop(name)) return refused(`headers.${name} is written anew for each hop`);
    for (const value of [values].flat()) {
      if (!isHeaderValue(value)) {
        return refused(`headers.${name} has a value that no header can carry`);
      }
      pairs.push(name, value);
    }
  }
  if (pairs.length > headerCountMax * 2)
    return refused(`headers: at most ${headerCountMax} are allowed`);
  const bytes = pairs.reduce((sum, text) => sum + text.length, 0);
  return bytes > headerBytesMax
    ? refused(`headers: at most ${headerBytesMax} bytes are allowed`)
    : ok(pairs);
}

function parseEndpointUrl(text: string, check: UrlCheck): Result<string> {
  if (text.length > urlLengthMax) {
    return refused(`the destination is longer than ${urlLengthMax} characters`);
  }
  const destination = parseUrl(text);
  if (!destination.ok) return destination;
  const { url, text: called } = destination.value;
  return check(url)?.of('the destination') ?? ok(called);
}
