/** The request body that creates a bearer token (administration.md 2). Pure. */
import { z } from 'zod';
import { ok, type Result } from '../../grammar/result.js';
import type { Role } from '../../http/identity/bearer-token.js';
import { readJsonBody } from '../../http/json-body.js';

/** A token as a request describes it. */
export interface TokenRequest {
  readonly name: string;
  readonly role: Role;
  /** In Unix ms; null = never. */
  readonly expiresAt: number | null;
}

/** Short, as the name is stored with each event that a request with the token causes. */
const namePattern = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/;

/** The end of the year 9999; later times cannot be formatted as dates. */
const expiresAtMax = 253_402_300_799_999;

/** The body of `POST /admin/tokens`; the OpenAPI document shows it too. */
export const tokenSchema = z.strictObject({
  name: z.string().regex(namePattern, 'must have 1 to 64 letters, digits, "-", "_" or "."'),
  role: z.enum(['read', 'operate', 'admin']),
  expiresAt: z
    .int()
    .min(0)
    .max(expiresAtMax)
    .nullable()
    .optional()
    .describe('Unix milliseconds; default: never'),
});

/** Parses `{"name", "role", "expiresAt"?}`. */
export function parseToken(body: Buffer): Result<TokenRequest> {
  const request = readJsonBody(body, tokenSchema);
  if (!request.ok) return request;
  const { name, role, expiresAt = null } = request.value;
  return ok({ name, role, expiresAt });
}
