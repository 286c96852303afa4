/** A text of a run as it may be shown: redacted, whole, cut or not at all. Pure. */
import { StringDecoder } from 'node:string_decoder';
import { redacted } from '../../messaging/messages/redaction.js';

/**
 * The text, or its first `bytesMax` bytes without a partial character at the end (null = all); for
 * a hidden text, its digest. undefined = show nothing: there is no text, or no bytes are wanted
 * (`bytesMax` -1, workflows.md 5.1).
 */
export function shownText(
  text: Buffer | string | null,
  bytesMax: number | null,
  isHidden: boolean,
): string | undefined {
  if (text === null || text.length === 0 || bytesMax === -1) return undefined;
  if (isHidden) return redacted(text);
  if (bytesMax === null) return text.toString();
  return new StringDecoder('utf8').write(Buffer.from(text).subarray(0, bytesMax));
}
