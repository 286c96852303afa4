/** The `curl` arguments that send a body. Pure. */
import { quoted } from '../parts/shell-words.ts';

/** A body as in the API: text, or Base64 of bytes that are not text. */
export interface GivenBody {
  readonly body?: string | undefined;
  readonly bodyBase64?: string | undefined;
}

/** The names of the files in which pages save bodies. */
export const bodyFiles = { text: 'body.txt', bytes: 'body.bin' };

/** An argument of a command can have 128 KiB at most. */
const wordMax = 100_000;

/** A hidden body is replaced by its digest. */
export const isHidden = ({ body }: GivenBody): boolean => body?.startsWith('REDACTED:') === true;

/**
 * Whether a text can be pasted into a terminal as it is: others have chosen it, a terminal may act
 * on control characters, and a shell leaves out zeros.
 */
export const isPasted = (text: string): boolean => !/[^\P{Cc}\t\n]/u.test(text);

/**
 * A body that is not text, has control characters, is too long for a command, or is hidden is read
 * from a file. If the message has no content type, the header is cleared, as `curl` would otherwise
 * declare a form.
 */
export function bodyWords(given: GivenBody, hasType: boolean): readonly string[] {
  const { body = '', bodyBase64 = '' } = given;
  if (body === '' && bodyBase64 === '') return ['-X POST'];
  const type = hasType ? [] : [`-H 'Content-Type:'`];
  if (bodyBase64 !== '') return [...type, `--data-binary @${bodyFiles.bytes}`];
  const isLong = new TextEncoder().encode(body).length > wordMax;
  return isLong || isHidden(given) || !isPasted(body)
    ? [...type, `--data-binary @${bodyFiles.text}`]
    : [...type, `--data-raw ${quoted(body)}`];
}
