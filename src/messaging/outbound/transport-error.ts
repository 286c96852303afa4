/** Why an attempt got no response, in words for its record. */

/** The destination may not be called, or its name may not be resolved to where it points. */
export class DestinationRefused extends Error {
  override readonly name = 'DestinationRefused';

  constructor(reason: string) {
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
  UND_ERR_SOCKET: 'the destination closed the connection before its response was complete',
  ERR_ASSERTION: 'the response is not valid HTTP',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response is shorter or longer than it says',
};

/** Words for what the client says of a response that HTTP allows, but no request wanted. */
const unwanted: Readonly<Record<string, string>> = {
  'bad upgrade': 'the destination wants another protocol, which nothing asked for',
  'bad response': 'the destination asks for a body that it has (100)',
};

/** As the client begins to say that a response is none; the reason follows in parentheses. */
const noResponse = /^Response does not match the HTTP\/1\.1 protocol(?: \((.*)\))?$/;

/** One line; the code is kept, because operators search for it. */
export function transportReason(error: Error & { readonly code?: unknown }): string {
  const code = typeof error.code === 'string' ? error.code : '';
  const meaning = meaningOf(error.message, code);
  const text = code === '' || meaning.includes(code) ? meaning : `${meaning} (${code})`;
  return text.replace(/\s+/g, ' ').slice(0, lengthMax);
}

function meaningOf(message: string, code: string): string {
  const parsing = noResponse.exec(message);
  if (parsing !== null) {
    const [, reason = 'it cannot be read'] = parsing;
    return `the response is not valid HTTP: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`;
  }
  return unwanted[message] ?? meanings[code] ?? message;
}
