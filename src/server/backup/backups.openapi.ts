/** Descriptions of the routes of backups. */
import { z } from 'zod';
import { once } from '../../grammar/once.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { backupRequestSchema } from './backup.request.js';
import { backupSchema } from './backup-manifest.js';

const status = once(() =>
  z
    .object({
      state: z
        .enum(['idle', 'running', 'done', 'failed'])
        .describe('State of the last backup of this process'),
      path: z.string().describe('Folder of the backup; absent if there was no backup').optional(),
      startedAt: z.string().optional(),
      endedAt: z.string().optional(),
      doing: z
        .enum(['copying', 'verifying'])
        .describe('Only while the backup is running')
        .optional(),
      bytes: z.int().describe('Bytes verified so far').optional(),
      bytesTotal: z.int().optional(),
      reason: z.string().describe('Why the backup failed').optional(),
      backup: backupSchema.describe('What the backup holds').optional(),
    })
    .meta({ id: 'BackupStatus' }),
);

/** The routes of `/admin/backup`; 409 while a backup is running. */
export const backupRoutes = {
  begin: {
    summary: 'Make a backup of the data folder below STEPWELL_BACKUP_DIR',
    changes: false,
    body: { isRequired: false, schema: () => backupRequestSchema },
    answers: { 202: { description: 'The backup has started', schema: status } },
  },
  show: {
    summary: 'Get the state of the last backup',
    answers: { 200: { description: 'The last backup that this process started', schema: status } },
  },
} satisfies Record<string, RouteDescription>;
