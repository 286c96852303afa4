/** The answer of a destination as a row shows it: its first bytes, text as text. Pure. */
import type { Redaction } from '../../grammar/redaction-fields.js';
import type { MessagePublished } from '../messages/message.events.js';

/** How many bytes of a response body a row shows (ADR 24). */
const responseBytesMax = 64 * 1024;

/**
 * The redaction of an answer. The answer of a third party is the result of a step, so it is hidden
 * like the body of the step. Other answers belong to the destination, about which the message says
 * nothing.
 */
export function redactionOfAnswer(
  { run }: Pick<MessagePublished, 'run'>,
  redaction: Redaction | null,
): Redaction | null {
  return run?.role === 'call' ? redaction : null;
}

/** The body of a response: one of the two fields, or neither. */
export interface ShownResponse {
  readonly responseBody?: string;
  /** The body in base64, if it is not valid UTF-8. */
  readonly responseBodyBase64?: string;
}

/** The shown part of a response body, at most `bytesMax` bytes (null = no limit, -1 = nothing). */
export function shownResponse(body: Buffer | null, bytesMax: number | null = null): ShownResponse {
  if (body === null || bytesMax === -1) return {};
  const length = Math.min(bytesMax ?? responseBytesMax, responseBytesMax);
  const first = body.subarray(0, length);
  if (first.length === 0) return {};
  // A body as long as the capture limit may have been cut there.
  const text = textOf(first, body.length > length || body.length >= responseBytesMax);
  return text === null ? { responseBodyBase64: first.toString('base64') } : { responseBody: text };
}

/** The text without a partial character at a cut; null = it is not text. */
function textOf(bytes: Buffer, isCut: boolean): string | null {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
}
