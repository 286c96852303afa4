/**
 * `exits`: one line for each recent time that this folder's server ended because of an error. Three
 * within ten minutes mean that restarting does not help: the next start is read-only (ADR 38).
 */
import { join } from 'node:path';
import { z } from 'zod';
import type { Disk } from '../../../storage/disk/disk.js';
import { appendNow } from '../../../storage/disk/node-disk.js';
import { readWhole, replaceFile } from '../../../storage/disk/whole-file.js';
import {
  FolderReplaced,
  isWantOfRoom,
  messageOf,
  NotTheOwner,
} from '../../../storage/faults/storage-errors.js';
import { jsonAs } from '../../grammar/json.js';
import { exitCodeOf } from './exit-code-of.js';

/** The name of the file in the data folder. */
const exitsFile = 'exits';

const countedWithinMs = 600_000;
const exitsMax = 3;
const messageLengthMax = 500;

const lineSchema = z.object({ at: z.number(), code: z.number(), message: z.string() });

type FatalExit = z.output<typeof lineSchema>;

/**
 * Notes that `error` ends the process at `at`, in Unix ms. Synchronous, as no other work may run. A
 * full disk is not counted: the next start has a reserve, and continues to deliver what is there.
 * Nor is a log that another node owns now: the next start follows it. If the folder was replaced,
 * another server may use what is there now.
 */
export function noteFatalExit(folder: string, error: unknown, at: number): void {
  if (isWantOfRoom(error) || error instanceof NotTheOwner) return;
  if (error instanceof FolderReplaced) return;
  const message = messageOf(error).slice(0, messageLengthMax);
  const exit: FatalExit = { at, code: exitCodeOf(error), message };
  try {
    appendNow(join(folder, exitsFile), `${JSON.stringify(exit)}\n`);
  } catch {
    // The disk that fails here is probably why the process ends, and the log says so.
  }
}

/**
 * Why a start at `at` should be read-only; null if it need not be. Exits that no longer count are
 * removed, so the file never has more than a few lines.
 */
export async function reasonToChangeNothing(
  disk: Disk,
  folder: string,
  at: number,
): Promise<string | null> {
  const path = join(folder, exitsFile);
  const content = await readWhole(disk, path).catch(() => null);
  if (content === null) return null;
  const exits = exitsIn(content);
  const recent = exits.filter((exit) => exit.at <= at && at - exit.at < countedWithinMs);
  const last = recent.at(-1);
  if (last !== undefined && recent.length >= exitsMax) {
    return (
      `the server ended by itself ${recent.length} times within ten minutes, the last time with ` +
      `code ${last.code} (${last.message}): it changes nothing until it was stopped and started ` +
      'once more'
    );
  }
  if (recent.length === exits.length) return null;
  const kept = Buffer.from(recent.map((exit) => `${JSON.stringify(exit)}\n`).join(''));
  await replaceFile(disk, `${path}.new`, path, kept);
  return null;
}

/** Called when the operator has stopped a read-only server: the next start is an ordinary one. */
export async function forgetFatalExits(disk: Disk, folder: string): Promise<void> {
  await disk.remove(join(folder, exitsFile)).catch(() => undefined);
}

/** The readable lines of the file: the process may have ended while it wrote one. */
function exitsIn(content: Buffer): FatalExit[] {
  return content
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const exit = jsonAs(Buffer.from(line), lineSchema);
      return exit === null ? [] : [exit];
    });
}
