/** The request body that starts a backup. Pure. */
import { z } from 'zod';
import { ok, type Result } from '../../grammar/result.js';
import { readJsonBody } from '../../http/json-body.js';

/** A folder name that cannot lead out of the folder for backups. */
const folderName = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/;

/** The body of `POST /admin/backup`; the OpenAPI document shows it too. */
export const backupRequestSchema = z.strictObject({
  path: z
    .string()
    .regex(folderName, 'must be a name of letters, digits, ".", "_" and "-"')
    .refine((name) => !name.endsWith('.partial'), 'must not end with .partial')
    .optional()
    .describe('The folder below STEPWELL_BACKUP_DIR; it must not exist yet'),
});

/** Parses `{"path"?}` or an empty body; null means that the server chooses the name. */
export function parseBackupRequest(body: Buffer): Result<string | null> {
  if (body.length === 0) return ok(null);
  const request = readJsonBody(body, backupRequestSchema);
  return request.ok ? ok(request.value.path ?? null) : request;
}
