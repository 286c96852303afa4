/** A dead letter as the API shows it (messaging protocol 2.9): its message, and its last answer. */
import { isUtf8 } from 'node:buffer';
import type { EventEnvelope } from '../engine/decider.js';
import type { MessageFailed, MessagePublished } from '../messages/message.events.js';
import {
  bodyField,
  type HeaderMap,
  headerMap,
  type MessageObject,
  messageObject,
} from '../messages/message-object.js';
import type { DeadLetter } from './dead-letters.projection.js';

/** Of a response body, what a letter keeps, in bytes (decision 20). */
const responseBytesMax = 64 * 1024;

export interface DeadLetterObject extends MessageObject {
  readonly dlqId: string;
  /** 0 = the last attempt got no response, and `responseBody` says why. */
  readonly responseStatus: number;
  readonly responseHeader: HeaderMap;
  readonly responseBody?: string;
  readonly responseBodyBase64?: string;
}

/** `body` is what may be shown of the message's; the response's stands beside its failure. */
export function deadLetterObject(
  letter: DeadLetter,
  published: EventEnvelope<MessagePublished>,
  body: Buffer | null,
  failed: EventEnvelope<MessageFailed>,
): DeadLetterObject {
  const { status, headers, error } = failed.event;
  const response = status === 0 ? Buffer.from(error ?? '') : failed.body;
  const shown = bodyField(response === null ? null : kept(response));
  return {
    ...messageObject(published, body),
    dlqId: letter.id,
    responseStatus: status,
    responseHeader: headerMap(null, headers),
    ...(shown.body !== undefined && { responseBody: shown.body }),
    ...(shown.bodyBase64 !== undefined && { responseBodyBase64: shown.bodyBase64 }),
  };
}

/** Its first 64 KiB, which may be all that was captured; a text is not cut within a character. */
function kept(response: Buffer): Buffer {
  if (response.length < responseBytesMax) return response;
  for (let end = responseBytesMax; end > responseBytesMax - 4; end -= 1) {
    const cut = response.subarray(0, end);
    if (isUtf8(cut)) return cut;
  }
  return response.subarray(0, responseBytesMax);
}
