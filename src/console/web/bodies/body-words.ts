/** The words of `curl` that send a body. Pure. */
import { quoted } from '../parts/shell-words.ts';

/** As the API has it: text, or Base64 of what is none. */
export interface GivenBody {
  readonly body?: string | undefined;
  readonly bodyBase64?: string | undefined;
}

/** What the pages name the files that they save bodies to. */
export const bodyFiles = { text: 'body.txt', bytes: 'body.bin' };

/** A word of a command has 128 KiB at most. */
const wordMax = 100_000;

/** The digest stands in the place of what is hidden. */
export const isHidden = ({ body }: GivenBody): boolean => body?.startsWith('REDACTED:') === true;

/**
 * What is no text, too long for a command, or hidden comes from a file. Without a type the message
 * has none, and `curl` would say that it is a form.
 */
export function bodyWords(given: GivenBody, hasType: boolean): readonly string[] {
  const { body = '', bodyBase64 = '' } = given;
  if (body === '' && bodyBase64 === '') return ['-X POST'];
  const type = hasType ? [] : [`-H 'Content-Type:'`];
  if (bodyBase64 !== '') return [...type, `--data-binary @${bodyFiles.bytes}`];
  const isLong = new TextEncoder().encode(body).length > wordMax;
  return isLong || isHidden(given)
    ? [...type, `--data-binary @${bodyFiles.text}`]
    : [...type, `--data-raw ${quoted(body)}`];
}
