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
        .describe('Of the last one of this process'),
      path: z.string().describe('Its folder; absent while there was none').optional(),
      startedAt: z.string().optional(),
      endedAt: z.string().optional(),
      doing: z.enum(['copying', 'verifying']).describe('While it runs').optional(),
      bytes: z.int().describe('Verified by now').optional(),
      bytesTotal: z.int().optional(),
      reason: z.string().describe('Why there is none').optional(),
      backup: backupSchema.describe('What it holds').optional(),
    })
    .meta({ id: 'BackupStatus' }),
);

/** The routes of `/admin/backup`; 409 while a backup is running. */
export const backupRoutes = {
  begin: {
    summary: 'Make a backup of the data folder below STEPWELL_BACKUP_DIR',
    changes: false,
    body: { isRequired: false, schema: () => backupRequestSchema },
    answers: { 202: { description: 'It is under way', schema: status } },
  },
  show: {
    summary: 'How the last backup stands',
    answers: { 200: { description: 'The last one that this process began', schema: status } },
  },
} satisfies Record<string, RouteDescription>;
