/** The body that creates a credential, as it stands on the wire (topics.md 5.3). Pure. */
import { z } from 'zod';
import { parseName } from '../../grammar/name.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import type { Grant } from '../../http/identity/grant.js';
import { readJsonBody } from '../../http/json-body.js';

/** A credential as a request describes it. */
export interface CredentialRequest extends Grant {
  /** Its username, too: no colon is in it. */
  readonly name: string;
}

/** A topic's name or a beginning of names; a star at the end stands for whatever follows. */
const topicPattern = /^(?:[A-Za-z0-9._-]{1,249}|[A-Za-z0-9._-]{0,248}\*)$/;

/** `credential_name` is what the control plane of the original called it. */
export const credentialSchema = z.strictObject({
  name: z.string().optional(),
  credential_name: z.string().optional(),
  topic: z.string().regex(topicPattern, 'must be the name of a topic, a prefix and "*", or "*"'),
  permissions: z.enum(['ALL', 'PRODUCE', 'CONSUME']),
});

/** `{"name" or "credential_name", "topic", "permissions"}`. */
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
