/** The process's log: one pino, JSON lines or pretty on a terminal, and never a secret. */
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import pinoPretty from 'pino-pretty';

/** Where a secret could stand in what somebody logs: a request, its headers, or a copy of them. */
const secretPaths = ['', 'headers.', 'request.headers.', 'req.headers.'].flatMap((path) => [
  `${path}authorization`,
  `${path}Authorization`,
  `${path}cookie`,
]);

/** Standard error: standard output belongs to the few lines that people and launchers read. */
const standardError = 2;

/** The log of this process; `destination` is for tests. `isTerminal` chooses lines for people. */
export function createLog(
  level: string,
  isTerminal: boolean,
  destination: DestinationStream = isTerminal
    ? pinoPretty({ sync: true, destination: standardError })
    : pino.destination({ dest: standardError, sync: true }),
): Logger {
  const redact = { paths: secretPaths, censor: '[redacted]' };
  return pino({ level, base: null, redact }, destination);
}

/** The path of a request target: queries may hold a token and never reach the log. */
export function loggedPath(url: string): string {
  return url.split('?', 1)[0] ?? url;
}

/** What Nest says about itself: its progress is of interest to its debuggers only. */
export class NestLog implements LoggerService {
  constructor(private readonly pino: Logger) {}

  log(message: unknown): void {
    this.pino.debug(String(message));
  }

  warn(message: unknown): void {
    this.pino.warn(String(message));
  }

  error(message: unknown, ...details: unknown[]): void {
    this.pino.error({ details }, String(message));
  }

  fatal(message: unknown, ...details: unknown[]): void {
    this.pino.fatal({ details }, String(message));
  }
}
