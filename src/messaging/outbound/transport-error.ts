/** Describes why an attempt got no response, for its record. */

/** The destination may not be called, or its name resolves to an address that may not be. */
export class DestinationRefused extends Error {
  override readonly name = 'DestinationRefused';

  /** `setting` is the setting that could allow the destination. */
  constructor(
    reason: string,
    readonly setting?: string,
  ) {
    super(`the destination ${reason}`);
  }
}

const lengthMax = 256;

/** Texts for codes whose own message says less, or describes our side. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the destination refused the connection',
  ECONNRESET: 'the destination reset the connection',
  EPIPE: 'the destination closed the connection while the request was sent',
  EHOSTUNREACH: 'the destination cannot be reached',
  ENETUNREACH: 'the destination cannot be reached',
  ETIMEDOUT: 'the connection timed out',
  ENOTFOUND: "the destination's name does not resolve",
  EAI_AGAIN: "the destination's name could not be resolved now",
  EMFILE: 'this server may open no more files',
  ENFILE: 'this machine may open no more files',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the destination does not use TLS on this port',
};

/** `reason` is what Node.js takes from an error of OpenSSL, such as `bad record type`. */
type TransportError = Error & { readonly code?: unknown; readonly reason?: unknown };

/** The reason in one line. It includes the code, because operators search for codes. */
export function transportReason(error: TransportError): string {
  const code = typeof error.code === 'string' ? error.code : '';
  const meaning = meanings[code] ?? ownText(error, code);
  const text = code === '' || meaning.includes(code) ? meaning : `${meaning} (${code})`;
  return text.replace(/\s+/g, ' ').slice(0, lengthMax);
}

/** OpenSSL begins its messages with the number of a thread, and ends them with a place in C. */
function ownText({ message, reason }: TransportError, code: string): string {
  const isOpenSsl = code.startsWith('ERR_SSL_') && typeof reason === 'string';
  return isOpenSsl ? `TLS with the destination failed: ${reason}` : message;
}
