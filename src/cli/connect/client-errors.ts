/** Errors that end a client command, with their exit codes (docs/cli.md, "Exit codes"). */
import { exitCodes } from '../../server/lifecycle/exit-codes.js';

/** An error whose message is all that a person needs, and whose exit code is for scripts. */
export class ClientError extends Error {
  override readonly name = 'ClientError';

  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}

/**
 * Also recognises errors thrown by another bundled part of the program, which has its own copy of
 * the class (ADR 75).
 */
export function isClientError(error: unknown): error is ClientError {
  return error instanceof Error && error.name === 'ClientError' && 'exitCode' in error;
}

/** The server refused: `status` is the status of its answer, the message its error text. */
export class ApiRefusal extends ClientError {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message, exitCodeOfStatus(status));
  }
}

/**
 * A list lacks the rows that its server could not read on its disk; the message names the places.
 */
export class DamagedRows extends ClientError {
  constructor(places: readonly string[]) {
    super(`rows are missing: ${places.join('; ')}`, exitCodes.damagedData);
  }
}

/** No server answered at `url`. */
export class Unreachable extends ClientError {
  constructor(url: string, cause: unknown) {
    super(`no Stepwell answers at ${url} (${reasonOf(cause)})`, exitCodes.unavailable);
  }
}

/**
 * Sent by a server, or a proxy in front of it, while it starts, stops, or another node takes over.
 */
const passing = new Set([502, 503, 504]);

/** Whether the same request may succeed in a moment. */
export function isPassing(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof ApiRefusal && passing.has(error.status));
}

function exitCodeOfStatus(status: number): number {
  if (status === 401 || status === 403) return exitCodes.notPermitted;
  if (status === 404 || status === 410) return exitCodes.notFound;
  if (passing.has(status) || status === 507) return exitCodes.unavailable;
  if (status === 409) return exitCodes.inUse;
  return status >= 400 && status < 500 ? exitCodes.usage : exitCodes.failure;
}

/** If a name has several addresses, the error has one cause for each; the first is reported. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const code = 'code' in error ? String(error.code) : '';
  return (
    plainReasons.find(([pattern]) => pattern.test(`${code} ${error.message}`))?.[1] ?? error.message
  );
}

/** Plain wording for errors of libraries, matched by code and message. */
const plainReasons: readonly (readonly [RegExp, string])[] = [
  [/ (aborted|socket hang up)$|^ECONNRESET /, 'the connection was cut'],
  [/^(EPROTO|ERR_SSL)/, 'its TLS cannot be understood: perhaps the URL should begin with http://'],
  [/^HPE_/, 'it does not speak HTTP'],
];
