/** Why an attempt got no response, in words for its record. */

/** The destination may not be called, or its name may not be resolved to where it points. */
export class DestinationRefused extends Error {
  override readonly name = 'DestinationRefused';

  /** `setting` is the one that could allow it. */
  constructor(
    reason: string,
    readonly setting?: string,
  ) {
    super(`the destination ${reason}`);
  }
}

const lengthMax = 256;

/** Words for codes whose own message says less, or says it about our side. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the destination refused the connection',
  ECONNRESET: 'the destination reset the connection',
  EPIPE: 'the destination closed the connection while the request was sent',
  EHOSTUNREACH: 'the destination cannot be reached',
  ENETUNREACH: 'the destination cannot be reached',
  ETIMEDOUT: 'the connection timed out',
  ENOTFOUND: "the destination's name does not resolve",
  EAI_AGAIN: "the destination's name could not be resolved now",
};

/** One line; the code is kept, because operators search for it. */
export function transportReason(error: Error & { readonly code?: unknown }): string {
  const code = typeof error.code === 'string' ? error.code : '';
  const meaning = meanings[code] ?? error.message;
  const text = code === '' || meaning.includes(code) ? meaning : `${meaning} (${code})`;
  return text.replace(/\s+/g, ' ').slice(0, lengthMax);
}
