/**
 * The meaning of the process's exit codes (sysexits); docs/operations.md says what to do about
 * each.
 */
export const exitCodes = {
  fine: 0,
  /** A difference was found, an invariant broke, or any error without a code of its own. */
  failure: 1,
  usage: 64,
  damagedData: 65,
  /** What a client command names does not exist. */
  notFound: 66,
  /** Something that the process needs from this machine is missing. */
  unavailable: 69,
  /** What should be created already exists. */
  notEmpty: 73,
  diskError: 74,
  /** Another process uses the data folder or the port: it may be free later. */
  inUse: 75,
  /** The credential of a client command is unknown, or lacks the right. */
  notPermitted: 77,
} as const;

/** A number from this table: how a command ends. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
