/** Which error leads to which exit code. */
import {
  CopyUnderWay,
  DamagedData,
  DirectoryInUse,
  DiskFailure,
  FolderNotEmpty,
  KeepsChanging,
  LockUnavailable,
  NewerFormat,
  NotTheOwner,
  RecordsMissing,
} from '../../../storage/faults/storage-errors.js';
import { AcknowledgedEntriesMissing, SharedLogUnavailable } from '../../cluster/cluster-errors.js';
import { BrokenStream } from '../../engine/resting/gaps.js';
import { ConfigurationError } from '../configuration/config.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { PortInUse } from './listen-error.js';

/** The exit code of an error that ends the process. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof ConfigurationError) return exitCodes.usage;
  if (error instanceof DamagedData || error instanceof BrokenStream) return exitCodes.damagedData;
  if (error instanceof AcknowledgedEntriesMissing) return exitCodes.damagedData;
  if (error instanceof RecordsMissing) return exitCodes.damagedData;
  if (error instanceof NotTheOwner) return exitCodes.inUse;
  if (error instanceof DiskFailure) return exitCodes.diskError;
  if (error instanceof LockUnavailable) return exitCodes.unavailable;
  if (error instanceof SharedLogUnavailable) return exitCodes.unavailable;
  if (error instanceof NewerFormat) return exitCodes.damagedData;
  if (error instanceof FolderNotEmpty) return exitCodes.notEmpty;
  if (error instanceof CopyUnderWay) return exitCodes.inUse;
  if (error instanceof KeepsChanging) return exitCodes.inUse;
  if (error instanceof DirectoryInUse || error instanceof PortInUse) return exitCodes.inUse;
  return exitCodes.failure;
}
