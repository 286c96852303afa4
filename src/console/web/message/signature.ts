/**
 * Checks the signature of a delivery (messaging.md 4.2) as a receiver does, with the server's keys
 * and message. Pure, except for the browser's cryptography.
 */

/** The result of one check. */
export interface Check {
  readonly says: string;
  readonly isGood: boolean;
}

interface Expected {
  readonly current: string;
  readonly next: string;
  /** The URL that is called. */
  readonly url: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** In Unix ms. */
  readonly now: number;
}

interface Claims {
  readonly iss?: unknown;
  readonly sub?: unknown;
  readonly exp?: unknown;
  readonly body?: unknown;
}

const utf8 = new TextEncoder();

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function base64urlOf(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** All checks of a header's value. Throws if it is not a compact JWS of three parts. */
export async function checksOf(token: string, expected: Expected): Promise<readonly Check[]> {
  const [head = '', claimed = '', signature = '', ...others] = token.trim().split('.');
  if (signature === '' || others.length > 0) throw new Error('this is no signature: three parts');
  const claims = claimsIn(claimed);
  const signed = utf8.encode(`${head}.${claimed}`);
  const isBy = async (key: string) => {
    const hmac = { name: 'HMAC', hash: 'SHA-256' };
    const made = await crypto.subtle.importKey('raw', utf8.encode(key), hmac, false, ['verify']);
    return crypto.subtle.verify('HMAC', made, bytesOf(signature), signed);
  };
  const isCurrent = await isBy(expected.current);
  const isNext = !isCurrent && (await isBy(expected.next));
  const digest = base64urlOf(await crypto.subtle.digest('SHA-256', expected.body));
  const { sub, body, exp } = claims;
  const isOver = typeof exp !== 'number' || exp * 1000 < expected.now;
  return [
    {
      says: isCurrent
        ? 'signed with the current key'
        : isNext
          ? 'signed with the next key'
          : 'not signed with a key of this server',
      isGood: isCurrent || isNext,
    },
    {
      says: sub === expected.url ? 'for this URL' : `for another URL: ${String(sub)}`,
      isGood: sub === expected.url,
    },
    {
      says: body === digest ? 'of this body' : 'of another body: it was changed on the way',
      isGood: body === digest,
    },
    {
      says: isOver ? 'expired (after five minutes)' : 'not expired',
      isGood: !isOver,
    },
  ];
}

function claimsIn(part: string): Claims {
  try {
    return JSON.parse(new TextDecoder().decode(bytesOf(part))) as Claims;
  } catch {
    throw new Error('this is no signature: its claims cannot be read');
  }
}

/** The body of a message as bytes. */
export function bodyOf(message: {
  readonly body?: string | undefined;
  readonly bodyBase64?: string | undefined;
}): Uint8Array<ArrayBuffer> {
  return message.bodyBase64 === undefined
    ? utf8.encode(message.body ?? '')
    : bytesOf(message.bodyBase64);
}
