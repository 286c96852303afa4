/** Logs answers that began but were not completed. */
import { type FastifyRequest, LogController } from 'fastify';
import type { Logger } from 'pino';
import { errorCode, LogClosed } from '../../../storage/faults/storage-errors.js';
import { loggedPath } from '../../http/logged-path.js';
import { NoRoom } from '../../http/no-room.js';

/**
 * Codes for a connection that closed during an answer; since Node.js 24, the second one is used if
 * it had closed before. With the third one this server gives up an answer to its own request.
 */
const clientGone = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE', 'ABORT_ERR'];

/** Whether the error says that the client closed the connection before the answer ended. */
export function isClientGone(error: unknown): boolean {
  return clientGone.includes(errorCode(error) ?? '');
}

/** The parts of a request that the log shows. */
interface LoggedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

/**
 * A client that disconnects is not our failure. Anything else is one, and the client noticed it.
 */
export function logCutAnswer(log: Logger, error: Error, { method, url = '' }: LoggedRequest): void {
  const request = { method, path: loggedPath(url) };
  if (isClientGone(error)) log.debug(request, 'the client aborted an answer');
  else if (error instanceof NoRoom) log.warn(request, 'an answer was cut short for lack of memory');
  else if (error instanceof LogClosed) log.info(request, 'the log of an answer was closed');
  else log.error({ ...request, err: error }, 'an answer was cut short');
}

/** Requests are counted, not logged. */
export class AnswerLog extends LogController {
  constructor(private readonly log: Logger) {
    super({ disableRequestLogging: true });
  }

  override streamError(error: Error, request: FastifyRequest): void {
    logCutAnswer(this.log, error, request);
  }
}
