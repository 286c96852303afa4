/** `restored.json`: which backup a data folder was restored from. */
import { join } from 'node:path';
import { z } from 'zod';
import type { Disk } from '../../../storage/disk/disk.js';
import { readWhole } from '../../../storage/disk/whole-file.js';
import { jsonAs } from '../../grammar/json.js';
import { type BackupManifest, backupSchema, restoredFile } from './backup-manifest.js';

const schema = z.object({ from: backupSchema });

/**
 * The backup that a folder was restored from; null if it was not restored, or the file is
 * unreadable.
 */
export async function restoredFrom(disk: Disk, folder: string): Promise<BackupManifest | null> {
  const bytes = await readWhole(disk, join(folder, restoredFile)).catch(() => null);
  if (bytes === null) return null;
  return jsonAs(bytes, schema)?.from ?? null;
}
