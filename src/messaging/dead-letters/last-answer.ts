/** The answer to the last attempt of a message, as its letter shows it. Pure. */
import { isUtf8 } from 'node:buffer';
import { type HeaderMap, headerMap } from '../../grammar/headers.js';
import type { StoredText } from '../../http/bytes/stored-text.js';
import type { AttemptEvent } from '../messages/message.events.js';
import { bodyField } from '../messages/message-object.js';

/**
 * Events of earlier versions do not say that they hold only the beginning of an answer; those that
 * do have exactly this length.
 */
const earlierBytesMax = 64 * 1024;

/**
 * The response fields of a letter. At most one of the two bodies is present, depending on whether
 * the body is text.
 */
export interface LastAnswer {
  /** 0 = the attempt got no response, for the reason in `responseBody`. */
  readonly responseStatus: number;
  readonly responseHeader: HeaderMap;
  readonly responseBody?: StoredText;
  readonly responseBodyBase64?: StoredText;
}

/** Everything that was stored of the answer: clients parse the errors of their endpoints. */
export function lastAnswer({ event, body }: AttemptEvent): LastAnswer {
  const { status, headers, error, bodyTruncated } = event;
  const response = status === 0 ? Buffer.from(error ?? '') : body;
  const isCut = bodyTruncated === true || response?.length === earlierBytesMax;
  const shown = bodyField(response !== null && isCut ? wholeCharacters(response) : response);
  return {
    responseStatus: status,
    responseHeader: headerMap(null, headers),
    ...(shown.body !== undefined && { responseBody: shown.body }),
    ...(shown.bodyBase64 !== undefined && { responseBodyBase64: shown.bodyBase64 }),
  };
}

/** Removes the part of a character at the cut of a text; other bytes are left as they are. */
function wholeCharacters(response: Buffer): Buffer {
  for (let left = 0; left < 4; left += 1) {
    const text = response.subarray(0, response.length - left);
    if (isUtf8(text)) return text;
  }
  return response;
}
