/** What the process's exit code says (sysexits); docs/operations.md tells what to do about each. */
export const exitCodes = {
  fine: 0,
  /** A difference was found, a broken invariant, or anything without a code of its own. */
  failure: 1,
  usage: 64,
  damagedData: 65,
  /** What a client command names is not there. */
  notFound: 66,
  /** Something that the process needs of this machine is missing. */
  unavailable: 69,
  /** What was to be made is there already. */
  notEmpty: 73,
  diskError: 74,
  /** Another process has the data folder or the port: later it may be free. */
  inUse: 75,
  /** The credential of a client command is not known, or has not the right. */
  notPermitted: 77,
} as const;

/** A number of that table: what a command ends with. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
