/** Which error leads to which exit code. */
import { StorageError } from '../../../storage/faults/storage-errors.js';
import { AcknowledgedEntriesMissing, SharedLogUnavailable } from '../../cluster/cluster-errors.js';
import { BrokenStream } from '../../engine/resting/gaps.js';
import { ConfigurationError } from '../configuration/config.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { PortInUse } from './listen-error.js';

/** The exit code of an error that ends the process. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof StorageError) return error.exitCode;
  if (error instanceof AcknowledgedEntriesMissing) return error.exitCode;
  if (error instanceof BrokenStream) return exitCodes.damagedData;
  if (error instanceof ConfigurationError) return exitCodes.usage;
  if (error instanceof SharedLogUnavailable) return exitCodes.unavailable;
  if (error instanceof PortInUse) return exitCodes.inUse;
  return exitCodes.failure;
}
