/** The body that begins a backup, as it stands on the wire. Pure. */
import { z } from 'zod';
import { ok, type Result } from '../../grammar/result.js';
import { readJsonBody } from '../../http/json-body.js';

/** The name of a folder, and no way out of the one that it is to lie in. */
const folderName = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/;

/** The body of `POST /admin/backup`, as the OpenAPI document shows it, too. */
export const backupRequestSchema = z.strictObject({
  path: z
    .string()
    .regex(folderName, 'must be a name of letters, digits, ".", "_" and "-"')
    .refine((name) => !name.endsWith('.partial'), 'must not end with .partial')
    .optional()
    .describe('The folder below STEPWELL_BACKUP_DIR; it must not be there yet'),
});

/** `{"path"?}`, or nothing at all; null: the server chooses. */
export function parseBackupRequest(body: Buffer): Result<string | null> {
  if (body.length === 0) return ok(null);
  const request = readJsonBody(body, backupRequestSchema);
  return request.ok ? ok(request.value.path ?? null) : request;
}
