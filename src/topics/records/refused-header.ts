/** Refusals of headers of the log interface. */
import { type Refusal, refused } from '../../grammar/result.js';
import { dialects } from '../../http/dialect.js';

const neutralName = new RegExp(`${dialects.svc.logPrefix}[\\w-]+`);

/**
 * Refuses a request with these headers. The text names one of them by its neutral name
 * (`Stream-Encoding`), and the refusal in the dialect in which the client wrote it.
 */
export function refusedHeader(rawHeaders: readonly string[], text: string): Refusal {
  return refused(text.replace(neutralName, (name) => sentName(rawHeaders, name)));
}

function sentName(rawHeaders: readonly string[], neutral: string): string {
  const option = neutral.slice(dialects.svc.logPrefix.length);
  const sent = new Set(
    rawHeaders.flatMap((text, index) => (index % 2 === 0 ? text.toLowerCase() : [])),
  );
  const names = Object.values(dialects).map(({ logPrefix }) => `${logPrefix}${option}`);
  return names.find((name) => sent.has(name.toLowerCase())) ?? neutral;
}
