/** What the last attempt of a message was answered, as a letter shows it. Pure. */
import { isUtf8 } from 'node:buffer';
import type { EventEnvelope } from '../engine/decider.js';
import type { AttemptRecord } from '../messages/message.events.js';
import { bodyField, type HeaderMap, headerMap } from '../messages/message-object.js';

/** Of a response body, what a letter keeps, in bytes (decision 20). */
const responseBytesMax = 64 * 1024;

export interface LastAnswer {
  /** 0 = the attempt got no response, and `responseBody` says why. */
  readonly responseStatus: number;
  readonly responseHeader: HeaderMap;
  readonly responseBody?: string;
  readonly responseBodyBase64?: string;
}

/** An attempt as it was recorded; the response's body stands beside it. */
export type Attempt = EventEnvelope<AttemptRecord & { readonly type: string }>;

export function lastAnswer({ event, body }: Attempt): LastAnswer {
  const { status, headers, error } = event;
  const response = status === 0 ? Buffer.from(error ?? '') : body;
  const shown = bodyField(response === null ? null : kept(response));
  return {
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
