/** All errors of this library: one catalogue, which the process maps to its exit code. */
import { constants } from 'node:os';
import type { Offset, OffsetRange } from '../offsets/offset.js';

/** The base of every error of this library; `code` is the key in the catalogue. */
export abstract class StorageError extends Error {
  abstract readonly code:
    | 'damaged'
    | 'newer_format'
    | 'in_use'
    | 'no_lock'
    | 'disk_failure'
    | 'disk_full'
    | 'offset_out_of_range'
    | 'too_large'
    | 'not_empty'
    | 'changing'
    | 'not_owner'
    | 'missing'
    | 'replaced'
    | 'closed';
  /** The exit code if the error ends the process (sysexits.h); 1 = it has none of its own. */
  readonly exitCode: 1 | 65 | 69 | 73 | 74 | 75 = 1;

  override get name(): string {
    return this.constructor.name;
  }
}

/** The place of the damage: bytes `[from, to)` of `file`, and what is still good before it. */
export interface DamagedRange {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  /** The last offset that reads back intact before the damage; null when there is none. */
  readonly lastGoodOffset: Offset | null;
}

/** Acknowledged bytes do not read back as they were written. Never repaired by guessing. */
export class DamagedData extends StorageError {
  readonly code = 'damaged';
  override readonly exitCode = 65;
  constructor(
    readonly range: DamagedRange,
    reason: string,
  ) {
    const good = range.lastGoodOffset === null ? 'none' : `${range.lastGoodOffset}`;
    super(
      `damaged data: ${range.file} bytes ${range.from} to ${range.to}: ${reason}; ` +
        `last good offset ${good}`,
    );
  }
}

/** Damage that a log isolates: offsets in the range cannot be read, all others can. */
export class DamagedOffsets extends DamagedData {
  constructor(
    range: DamagedRange,
    reason: string,
    readonly logName: string,
    /** Reading continues at `until`. */
    readonly offsets: OffsetRange,
  ) {
    const { from, until } = offsets;
    super(range, `${reason}; of log ${logName} offsets ${from} to ${until - 1} cannot be read`);
  }
}

/** A later version of the program wrote something that this one cannot read. */
export class NewerFormat extends StorageError {
  readonly code = 'newer_format';
  override readonly exitCode = 65;
  /** `what` names the thing and its version. */
  constructor(what: string) {
    super(`${what}, which a later version of Stepwell wrote: start that one`);
  }
}

/** Another process holds the lock of the data folder. */
export class DirectoryInUse extends StorageError {
  readonly code = 'in_use';
  override readonly exitCode = 75;
  constructor(readonly directory: string) {
    super(`the data folder ${directory} is in use by another process`);
  }
}

/** Nothing on this machine can lock a data folder, which two processes must never open at once. */
export class LockUnavailable extends StorageError {
  readonly code = 'no_lock';
  override readonly exitCode = 69;
  constructor(cause: unknown) {
    const [reason] = messageOf(cause).split('\n', 1);
    super(
      `the data folder cannot be locked: fs-native-extensions does not load (${reason}); ` +
        'run npm ci on this platform, or install the command flock',
      { cause },
    );
  }
}

/** Another machine owns, or may own, what this one writes to: appends in flight may be lost. */
export class NotTheOwner extends StorageError {
  readonly code = 'not_owner';
  override readonly exitCode = 75;
}

/** Records committed by others are missing from this folder and from the log that it follows. */
export class RecordsMissing extends StorageError {
  readonly code = 'missing';
  override readonly exitCode = 65;
  constructor(what: string) {
    super(
      `${what}: keep this folder aside, and start with an empty one, which fetches another node's, ` +
        'or with a backup of that (stepwell backup there, stepwell restore here)',
    );
  }
}

/**
 * A write, fdatasync or other file operation failed: the state of the disk is no longer known. Also
 * for lack of room, if the write cannot be undone or the store cannot continue without it.
 */
export class DiskFailure extends StorageError {
  readonly code: 'disk_failure' | 'disk_full' = 'disk_failure';
  override readonly exitCode = 74;
  constructor(doing: string, cause: unknown) {
    super(`${doing} failed: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * There is no space, or a quota or file size limit was reached: the operation was not done, nothing
 * of it is left, and the store continues. The exit code is for a start that ends with this error.
 */
export class DiskFull extends DiskFailure {
  override readonly code = 'disk_full';
}

/** The data folder was removed under an open store, or another folder took its place. */
export class FolderReplaced extends StorageError {
  readonly code = 'replaced';
  override readonly exitCode = 74;
  constructor(path: string, isGone: boolean) {
    const what = isGone ? 'was removed' : 'was replaced by another one';
    super(`the data folder ${path} ${what}: what is stored from now on would be lost`);
  }
}

/** A read outside `[startOffset, endOffset]`, the valid range at that moment. */
export class OffsetOutOfRange extends StorageError {
  readonly code = 'offset_out_of_range';
  constructor(
    readonly offset: Offset,
    readonly startOffset: Offset,
    readonly endOffset: Offset,
  ) {
    super(`offset ${offset} is outside [${startOffset}, ${endOffset}]`);
  }
}

/** One append or one field of a record exceeds what the format can hold. Nothing was appended. */
export class TooLarge extends StorageError {
  readonly code = 'too_large';
  constructor(what: string, size: number, limit: number) {
    super(`${what} is ${size}, the limit is ${limit}`);
  }
}

/** The store or log was closed, dropped, opened read only, or fenced by an earlier failure. */
export class LogClosed extends StorageError {
  readonly code = 'closed';
}

/** The target folder of a copy must be empty. */
export class FolderNotEmpty extends StorageError {
  readonly code = 'not_empty';
  override readonly exitCode = 73;
  constructor(readonly directory: string) {
    super(`the folder ${directory} is not empty; nothing was changed`);
  }
}

/** Another process is making a copy with the same name. */
export class CopyUnderWay extends StorageError {
  readonly code = 'in_use';
  override readonly exitCode = 75;
  constructor(readonly directory: string) {
    super(`another process is copying to ${directory}`);
  }
}

/** The source changed each time before it was copied. Another try may succeed. */
export class KeepsChanging extends StorageError {
  readonly code = 'changing';
  override readonly exitCode = 75;
  constructor(directory: string, cause: unknown) {
    super(`the store in ${directory} kept changing while it was copied: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The error of a file operation, in words. */
function reasonOf(cause: unknown): string {
  const reason = messageOf(cause);
  if (errorCode(cause) !== 'EDQUOT') return reason;
  return reason.replace(unnamedError, 'EDQUOT: disk quota exceeded');
}

/** The text of Node.js for an error number that it has no name for. */
const unnamedError = /^Unknown system error (-\d+): Unknown system error \1/;

const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The typed error for one thrown by a file operation. */
export function diskError(doing: string, cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause;
  return isNoSpace(cause) ? new DiskFull(doing, cause) : new DiskFailure(doing, cause);
}

/** Whether a file operation failed only for lack of room. */
export function isNoSpace(cause: unknown): boolean {
  return fullCodes.has(errorCode(cause));
}

/** Whether an error, or the cause of it, is a lack of room. */
export function isWantOfRoom(error: unknown): boolean {
  if (error instanceof DiskFull || isNoSpace(error)) return true;
  return error instanceof DiskFailure && isWantOfRoom(error.cause);
}

/** Whether opening a file failed because the process, or the machine, has too many open. */
export function lacksDescriptors(cause: unknown): boolean {
  const code = errorCode(cause);
  return code === 'EMFILE' || code === 'ENFILE';
}

/**
 * The errno name of a file operation's error, or ''. Includes a reached quota, for which Node.js
 * has no name: it says `Unknown system error -122`.
 */
export function errorCode(cause: unknown): string {
  // Not `instanceof Error`: an error of node:fs may come from another realm (of a test or worker).
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return '';
  if ('errno' in cause && cause.errno === -constants.errno.EDQUOT) return 'EDQUOT';
  return typeof cause.code === 'string' ? cause.code : '';
}
