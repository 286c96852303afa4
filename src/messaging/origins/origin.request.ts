/** Parses a body that names an origin (messaging.md 4.8). Pure. */
import { z } from 'zod';
import { ok, type Result, refused } from '../../grammar/result.js';
import { readJsonBody } from '../../http/json-body.js';

/** The body of both actions of `/admin/origins`. */
export const originSchema = z.strictObject({
  origin: z.string().describe('Scheme, host and port: https://example.com'),
});

const charactersMax = 300;

/** Parses `{"origin"}` and normalizes it: `https://example.com:443` is `https://example.com`. */
export function parseOrigin(body: Buffer): Result<string> {
  const request = readJsonBody(body, originSchema);
  if (!request.ok) return request;
  const { origin: given } = request.value;
  const url = URL.canParse(given) ? new URL(given) : null;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!isWeb || url.href !== `${url.origin}/` || given.length > charactersMax) {
    return refused('origin must be scheme, host and port, like https://example.com');
  }
  return ok(url.origin);
}
