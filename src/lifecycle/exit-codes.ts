/** What the process's exit code says, and which error leads to which (sysexits). */
import { DamagedData, DirectoryInUse, DiskFailure } from '../../storage/storage-errors.js';
import { ConfigurationError } from '../config.js';

export const exitCodes = {
  fine: 0,
  /** A difference was found, a broken invariant, or anything without a code of its own. */
  failure: 1,
  usage: 64,
  damagedData: 65,
  diskError: 74,
  folderInUse: 75,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of an error that ends the process. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof ConfigurationError) return exitCodes.usage;
  if (error instanceof DamagedData) return exitCodes.damagedData;
  if (error instanceof DiskFailure) return exitCodes.diskError;
  if (error instanceof DirectoryInUse) return exitCodes.folderInUse;
  return exitCodes.failure;
}
