/** What the process's exit code says, and which error leads to which (sysexits). */
import {
  DamagedData,
  DirectoryInUse,
  DiskFailure,
  FolderNotEmpty,
  KeepsChanging,
  LockUnavailable,
  NewerFormat,
} from '../../../storage/faults/storage-errors.js';
import { BrokenStream } from '../../engine/actor-directory.js';
import { ConfigurationError } from '../configuration/config.js';
import { PortInUse } from './listen-error.js';

export const exitCodes = {
  fine: 0,
  /** A difference was found, a broken invariant, or anything without a code of its own. */
  failure: 1,
  usage: 64,
  damagedData: 65,
  /** Something that the process needs of this machine is missing. */
  unavailable: 69,
  /** What was to be made is there already. */
  notEmpty: 73,
  diskError: 74,
  /** Another process has the data folder or the port: later it may be free. */
  inUse: 75,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of an error that ends the process. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof ConfigurationError) return exitCodes.usage;
  if (error instanceof DamagedData || error instanceof BrokenStream) return exitCodes.damagedData;
  if (error instanceof DiskFailure) return exitCodes.diskError;
  if (error instanceof LockUnavailable) return exitCodes.unavailable;
  if (error instanceof NewerFormat) return exitCodes.damagedData;
  if (error instanceof FolderNotEmpty) return exitCodes.notEmpty;
  if (error instanceof KeepsChanging) return exitCodes.inUse;
  if (error instanceof DirectoryInUse || error instanceof PortInUse) return exitCodes.inUse;
  return exitCodes.failure;
}
