/** Parses the body that creates a credential (topics.md 5.3). Pure. */
import { z } from 'zod';
import { parseName } from '../../grammar/name.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import type { Grant } from '../../http/identity/grant.js';
import { readJsonBody } from '../../http/json-body.js';

/** A credential as a request describes it. */
export interface CredentialRequest extends Grant {
  /** The name, which is also the username, so it contains no colon. */
  readonly name: string;
}

/** The name of a topic, or a prefix of names that ends with a star. */
const topicPattern = /^(?:[A-Za-z0-9._-]{1,249}|[A-Za-z0-9._-]{0,248}\*)$/;

/** The body; `credential_name` is the field's name in the control plane of the original service. */
export const credentialSchema = z.strictObject({
  name: z.string().optional(),
  credential_name: z.string().optional(),
  topic: z.string().regex(topicPattern, 'must be the name of a topic, a prefix and "*", or "*"'),
  permissions: z.enum(['ALL', 'PRODUCE', 'CONSUME']),
});

/** Parses `{"name" or "credential_name", "topic", "permissions"}`. */
export function parseCredential(body: Buffer): Result<CredentialRequest> {
  const request = readJsonBody(body, credentialSchema);
  if (!request.ok) return request;
  const { name, credential_name: alias, topic, permissions } = request.value;
  if (name !== undefined && alias !== undefined && name !== alias) {
    return refused('name and credential_name differ');
  }
  const known = parseName(name ?? alias ?? '');
  return known.ok
    ? ok({ name: known.value, topic, permissions })
    : refused(`name ${known.message}`);
}
