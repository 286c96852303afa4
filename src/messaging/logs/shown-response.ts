/** What a destination answered, as a row shows it: its first bytes, text as text. Pure. */
import type { Redaction } from '../../grammar/redaction-fields.js';
import type { MessagePublished } from '../messages/message.events.js';

/** Of a response body, what a row shows (ADR 24). */
const responseBytesMax = 64 * 1024;

/**
 * What is hidden of an answer. That of a third party is the result of a step, which is hidden as
 * what the step sent; another one is of the destination, which the message tells nothing of.
 */
export function redactionOfAnswer(
  { run }: Pick<MessagePublished, 'run'>,
  redaction: Redaction | null,
): Redaction | null {
  return run?.role === 'call' ? redaction : null;
}

/** One of both, or none. */
export interface ShownResponse {
  readonly responseBody?: string;
  /** Of bytes that are no UTF-8. */
  readonly responseBodyBase64?: string;
}

/** At most `bytesMax` bytes are shown (null = no such limit, -1 = nothing). */
export function shownResponse(body: Buffer | null, bytesMax: number | null = null): ShownResponse {
  if (body === null || bytesMax === -1) return {};
  const length = Math.min(bytesMax ?? responseBytesMax, responseBytesMax);
  const first = body.subarray(0, length);
  if (first.length === 0) return {};
  // What is as long as a capture may be was perhaps cut there.
  const text = textOf(first, body.length > length || body.length >= responseBytesMax);
  return text === null ? { responseBodyBase64: first.toString('base64') } : { responseBody: text };
}

/** The text without what it has of a character at a cut; null = it is none. */
function textOf(bytes: Buffer, isCut: boolean): string | null {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
}
