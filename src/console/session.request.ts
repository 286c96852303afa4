/** The request body that signs in to the console (messaging.md 1.7). Pure. */
import { z } from 'zod';
import { ok, type Result } from '../grammar/result.js';
import { readJsonBody } from '../http/json-body.js';

/** A credential, typed by a person. */
export type SessionRequest =
  | { readonly token: string }
  | { readonly username: string; readonly password: string };

const text = z.string().min(1).max(4096);

/** No credential: under `dev` on this machine, none is needed. */
const nothing = z.strictObject({});

/** The body of `POST /console/session`; the OpenAPI document shows it too. */
export const sessionSchema = z.union([
  z.strictObject({ token: text }),
  z.strictObject({ username: text, password: text }),
  nothing,
]);

/** Parses `{"token"}` or `{"username", "password"}`; null for `{}`. */
export function parseSession(body: Buffer): Result<SessionRequest | null> {
  const request = readJsonBody(body, sessionSchema);
  if (!request.ok) return request.saying('give "token", or "username" and "password", as text');
  const said = request.value;
  if ('token' in said) return ok({ token: said.token });
  if ('username' in said) return ok({ username: said.username, password: said.password });
  return ok(null);
}
