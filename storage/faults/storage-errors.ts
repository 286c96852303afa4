/** Everything that can go wrong in here: one catalogue that the process maps to its exit code. */
import { constants } from 'node:os';
import type { Offset, OffsetRange } from '../offsets/offset.js';

/** What every error of this library is; `code` is the catalogue's key. */
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
    | 'closed';
  /** What the process should exit with when this ends it (sysexits.h); 70 where nothing says so. */
  readonly exitCode: number = 70;

  override get name(): string {
    return this.constructor.name;
  }
}

/** Where the damage is: bytes `[from, to)` of `file`, and what is still good in front of it. */
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

/** Damage that a log lives with: its offsets in the range cannot be read, all others can. */
export class DamagedOffsets extends DamagedData {
  constructor(
    range: DamagedRange,
    reason: string,
    readonly logName: string,
    /** Reading goes on at `until`. */
    readonly offsets: OffsetRange,
  ) {
    const { from, until } = offsets;
    super(range, `${reason}; of log ${logName} offsets ${from} to ${until - 1} cannot be read`);
  }
}

/** A later version of the program wrote what this one cannot read. */
export class NewerFormat extends StorageError {
  readonly code = 'newer_format';
  override readonly exitCode = 65;
  /** `what` says what has which version. */
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

/** Nothing here can lock a data folder, which two processes must not have at once. */
export class LockUnavailable extends StorageError {
  readonly code = 'no_lock';
  override readonly exitCode = 69;
  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
    super(
      `the data folder cannot be locked: fs-native-extensions does not load (${reason}); ` +
        'run npm ci on this platform, or install the command flock',
      { cause },
    );
  }
}

/** Another machine owns what this one would write to, or may: what was on its way may be lost. */
export class NotTheOwner extends StorageError {
  readonly code = 'not_owner';
  override readonly exitCode = 75;
}

/** Records that others have committed are not in this folder, nor where it follows them. */
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
 * A write, fdatasync or other file operation failed: what is on disk is no longer known. Also for
 * want of room, where that cannot be undone or the store cannot go on without.
 */
export class DiskFailure extends StorageError {
  readonly code: 'disk_failure' | 'disk_full' = 'disk_failure';
  override readonly exitCode = 74;
  constructor(doing: string, cause: unknown) {
    super(`${doing} failed: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * No space, or a quota or file size limit was met: what was asked was not done, nothing of it is
 * left, and the store goes on. The exit code is for a start that ends with it.
 */
export class DiskFull extends DiskFailure {
  override readonly code = 'disk_full';
}

/** A read outside `[startOffset, endOffset]`; both are the valid range of that moment. */
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
  constructor(what: string, cause?: unknown) {
    super(what, { cause });
  }
}

/** A copy goes into a folder that holds nothing. */
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

/** What was to be copied changed before it was copied, each time. Another try may succeed. */
export class KeepsChanging extends StorageError {
  readonly code = 'changing';
  override readonly exitCode = 75;
  constructor(directory: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`the store in ${directory} kept changing while it was copied: ${reason}`, { cause });
  }
}

/** What a file operation threw, in words. */
function reasonOf(cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (errorCode(cause) !== 'EDQUOT') return reason;
  return reason.replace(unnamedError, 'EDQUOT: disk quota exceeded');
}

/** What Node.js writes for an error number that it has no name for. */
const unnamedError = /^Unknown system error (-\d+): Unknown system error \1/;

const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The typed form of what a file operation threw. */
export function diskError(doing: string, cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause;
  return isNoSpace(cause) ? new DiskFull(doing, cause) : new DiskFailure(doing, cause);
}

/** Whether a file operation failed only for want of room. */
export function isNoSpace(cause: unknown): boolean {
  return fullCodes.has(errorCode(cause));
}

/** Whether what ended a store, or was refused, was the want of room: the cause of it says so. */
export function isWantOfRoom(error: unknown): boolean {
  if (error instanceof DiskFull || isNoSpace(error)) return true;
  return error instanceof DiskFailure && isWantOfRoom(error.cause);
}

/** Whether a file was not opened because the process, or the machine, has too many open. */
export function lacksDescriptors(cause: unknown): boolean {
  const code = errorCode(cause);
  return code === 'EMFILE' || code === 'ENFILE';
}

/**
 * The errno name of a file operation's error, or ''. Of a quota that was met too: Node.js has no
 * name for it, and calls it `Unknown system error -122`.
 */
export function errorCode(cause: unknown): string {
  // Not `instanceof Error`: an error of node:fs may come from another realm (a test's, a worker's).
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return '';
  if ('errno' in cause && cause.errno === -constants.errno.EDQUOT) return 'EDQUOT';
  return typeof cause.code === 'string' ? cause.code : '';
}
