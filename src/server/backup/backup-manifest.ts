/** `backup.json`: the description of a backup. A server refuses a folder that contains it. */
import { join } from 'node:path';
import { z } from 'zod';
import type { BackupReport } from '../../../storage/backup/backup-folder.js';
import type { Disk } from '../../../storage/disk/disk.js';
import { readWhole } from '../../../storage/disk/whole-file.js';
import { diskError, errorCode, NewerFormat } from '../../../storage/faults/storage-errors.js';
import { jsonIn } from '../../grammar/json.js';
import { version } from '../../grammar/version.js';
import { ConfigurationError } from '../configuration/config.js';

/** The name of the file in a backup. */
export const backupFile = 'backup.json';

/** The same description in a restored folder: what the folder was restored from. */
export const restoredFile = 'restored.json';

const offset = z.int().nonnegative();

const format = 1;

/** What a backup holds, as in the file and in answers of the server. */
export const backupSchema = z.object({
  format: z.literal(format),
  version: z.string().describe('Version of Stepwell that made the backup'),
  madeAt: z.string().describe('When the backup was complete, ISO 8601'),
  storeId: z.string().describe('The same for all copies of one data folder'),
  epoch: z.int().describe('How many times the data folder had been started'),
  bytes: z.int().describe('Bytes of all logs'),
  sharedBytes: z
    .int()
    .describe('Bytes of files that the backup shared with the data folder when it was made'),
  logs: z
    .array(z.object({ name: z.string(), until: offset }))
    .describe('Each log, and the offset after its last record'),
  lost: z
    .array(z.object({ log: z.string(), from: offset, until: offset.nullable() }))
    .describe(
      'Offsets that are damaged in the data folder too; until null = everything from there on',
    ),
  damages: z.array(z.string()).describe('Descriptions of the damage, file by file'),
});

/** The only part of a later version's description that this version reads. */
const laterFormat = z.object({ format: z.int().gt(format) });

/** The content of `backup.json`, and of `restored.json` in a restored folder. */
export type BackupManifest = z.output<typeof backupSchema>;

/** The description of a copy that was complete at `at`, in Unix ms. */
export function manifestOf(
  report: Omit<BackupReport, 'logs' | 'segments'>,
  at: number,
): BackupManifest {
  const { storeId, epoch, linkedBytes, copiedBytes, until, lost, damages } = report;
  return {
    format,
    version,
    madeAt: new Date(at).toISOString(),
    storeId,
    epoch,
    bytes: linkedBytes + copiedBytes,
    sharedBytes: linkedBytes,
    logs: [...until].map(([name, end]) => ({ name, until: end })),
    lost: lost.map((part) => ({ ...part })),
    damages: [...damages],
  };
}

/** The bytes of such a file, formatted for people to read. */
export function encoded(content: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(content, null, 2)}\n`);
}

/**
 * The description of the backup in `folder`; null if there is none. Throws `NewerFormat` if a later
 * version made the backup, `ConfigurationError` if the file is not ours.
 */
export async function readBackupManifest(
  disk: Disk,
  folder: string,
): Promise<BackupManifest | null> {
  const path = join(folder, backupFile);
  const bytes = await readWhole(disk, path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw diskError(`reading ${path}`, error);
  });
  if (bytes === null) return null;
  const content = jsonIn(bytes.toString('utf8'));
  const parsed = backupSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const formatFound = laterFormat.safeParse(content).data?.format;
  if (formatFound !== undefined) throw new NewerFormat(`${path} has format ${formatFound}`);
  throw new ConfigurationError([`${path} does not describe a backup of Stepwell`]);
}
