/** Builds the body of a callback from the two events that it reports (messaging.md 4.5). Pure. */
import { headerMap } from '../../grammar/headers.js';
import type {
  AttemptEvent,
  CallbackSource,
  Published,
  RunPlace,
} from '../messages/message.events.js';
import { callerFields } from '../messages/message-object.js';

/** Everything that a callback reports. */
export interface Reported {
  readonly source: CallbackSource;
  readonly published: Published;
  /** The headers that were sent, names and values in turn, except those specific to one attempt. */
  readonly sourceHeaders: readonly string[];
  /** The bytes that were sent, wherever they are stored. */
  readonly sourceBody: Buffer | null;
  /** How the attempt ended, with the captured response body. */
  readonly attempt: AttemptEvent;
  /** The run whose failure is reported; null = the callback belongs to a single message. */
  readonly failedRun: RunPlace | null;
}

/**
 * The JSON of the callback. If there was no response, `status` is 0 and `body` is the reason
 * (messaging.md 4.5). `bodyTruncated` says that only the beginning of the response was stored.
 * Bodies are base64; `notBefore` and `createdAt` are milliseconds as text.
 */
export function callbackBody(reported: Reported): Buffer {
  const { source, published, sourceHeaders, sourceBody, attempt, failedRun } = reported;
  const { event: message, id, at } = published;
  const { event: end, body } = attempt;
  const response = end.status === 0 ? Buffer.from(end.error ?? '') : body;
  return Buffer.from(
    JSON.stringify({
      status: end.status,
      header: headerMap(null, end.headers),
      body: base64(response),
      retried: end.attempt,
      maxRetries: message.maxRetries,
      sourceMessageId: id,
      url: message.url,
      method: message.method,
      sourceHeader: headerMap(message.contentType, sourceHeaders),
      sourceBody: base64(sourceBody),
      notBefore: String(message.notBefore),
      createdAt: String(at),
      ...(end.bodyTruncated === true && { bodyTruncated: true }),
      ...(message.topicName !== null && { topicName: message.topicName }),
      ...(message.endpointName !== null && { endpointName: message.endpointName }),
      ...(message.scheduleId !== null && { scheduleId: message.scheduleId }),
      ...callerFields(message.callerIp),
      ...(source.dlqId !== null && { dlqId: source.dlqId }),
      ...(failedRun !== null && {
        workflowRunId: failedRun.runId,
        workflowCreatedAt: failedRun.createdAt,
        workflowUrl: failedRun.url,
      }),
    }),
  );
}

function base64(bytes: Buffer | null): string {
  return bytes === null ? '' : bytes.toString('base64');
}
