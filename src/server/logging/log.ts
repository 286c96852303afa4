/**
 * The process's log: one pino instance, which writes JSON lines or lines for people, and never a
 * secret.
 */
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { withSourceLines } from './source-lines.js';
import { StandardError } from './standard-error.js';

/** Where a logged object may contain a secret: a request, its headers, or a copy of them. */
const secretPaths = ['', 'headers.', 'request.headers.', 'req.headers.'].flatMap((path) => [
  `${path}authorization`,
  `${path}Authorization`,
  `${path}cookie`,
]);

/** `json`: one line of JSON for each event. `pretty`: for people, in colour on a terminal. */
export type LogFormat = 'json' | 'pretty';

/** The log of this process; it writes whole lines. */
export function createLog(level: string, destination: DestinationStream): Logger {
  const redact = { paths: secretPaths, censor: '[redacted]' };
  return pino({ level, base: null, redact, serializers: { err: shownError } }, destination);
}

function shownError(error: Error): unknown {
  const shown = stdSerializers.err(error);
  if (!(error instanceof Error)) return shown;
  const { stack, ...rest } = shown;
  return { ...rest, stack: withSourceLines(stack) };
}

/** Standard error, for machines or for people; colours are only used on terminals. */
export async function logDestination(format: LogFormat): Promise<DestinationStream> {
  const lines = new StandardError();
  if (format === 'json') return lines;
  const { prettyLines } = await import('./pretty-lines.js');
  return prettyLines(lines, process.stderr.isTTY === true);
}

/** A log for what Fastify says about itself: the address, which the program prints anyway. */
export function fastifyLog(log: Logger): Logger {
  const quiet = log.child({});
  quiet.info = quiet.debug;
  return quiet;
}

/** A log for what Nest says about itself: its progress is only of interest for debugging Nest. */
export class NestLog implements LoggerService {
  /** `isSaidElsewhere` recognises errors that are reported to people when they end the process. */
  constructor(
    private readonly pino: Logger,
    private readonly isSaidElsewhere: (error: Error) => boolean,
  ) {}

  log(message: unknown): void {
    this.pino.debug(String(message));
  }

  warn(message: unknown): void {
    this.pino.warn(String(message));
  }

  error(message: unknown, ...details: unknown[]): void {
    if (message instanceof Error) {
      const level = this.isSaidElsewhere(message) ? 'debug' : 'error';
      this.pino[level]({ err: message, ...fieldsOf(details) }, message.message);
      return;
    }
    this.pino.error(fieldsOf(details), String(message));
  }

  fatal(message: unknown, ...details: unknown[]): void {
    this.pino.fatal(fieldsOf(details), String(message));
  }
}

/** A stack, and the part of Nest that reports it. */
function fieldsOf(details: readonly unknown[]): object {
  const known = details.filter((detail) => detail !== undefined);
  return known.length > 0 ? { details: known } : {};
}
