/**
 * The cookie of a session: the credential it was signed in with, its expiry, and a signature over
 * both, so that the server stores nothing for it (ADR 46). Pure.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { sessionCookiePrefix } from '../http/own-credentials.js';

/** A session, as in its cookie. */
export interface SignedSession {
  /**
   * The `tokenDigest` of its token; null if it was signed in with the REST username and password.
   */
  readonly digest: string | null;
  /** In Unix ms. */
  readonly expiresAt: number;
  /** Identifies the session. */
  readonly id: string;
}

const form = /^([0-9a-f]{64}|rest)\.(\d{1,16})\.([\w-]{1,64})\.([\w-]{43})$/;
const restWord = 'rest';

/** Signs and reads cookies of one server; changing its own credentials invalidates them. */
export class SessionCookies {
  /** Servers on other ports of a host get the same cookies, so each reads only its own. */
  readonly name: string;
  private readonly key: Buffer;

  /** `secrets` are credentials that only this server and its operators have. */
  constructor(secrets: readonly string[]) {
    this.key = createHmac('sha256', 'stepwell console session')
      .update(JSON.stringify(secrets))
      .digest();
    this.name = `${sessionCookiePrefix}${this.mac('name').toString('hex').slice(0, 8)}`;
  }

  /** The value of a session's cookie. */
  sign({ digest, expiresAt, id }: SignedSession): string {
    const said = `${digest ?? restWord}.${expiresAt}.${id}`;
    return `${said}.${this.mac(said).toString('base64url')}`;
  }

  /** The session in a `Cookie` header; undefined if none of its cookies is ours. */
  read(header: string): SignedSession | undefined {
    for (const pair of header.split(';')) {
      const equals = pair.indexOf('=');
      if (pair.slice(0, equals).trim() !== this.name) continue;
      const session = this.parse(pair.slice(equals + 1).trim());
      if (session !== undefined) return session;
    }
    return undefined;
  }

  private parse(value: string): SignedSession | undefined {
    const [, who = '', expiresAt = '', id = '', signature = ''] = form.exec(value) ?? [];
    if (who === '') return undefined;
    const expected = this.mac(`${who}.${expiresAt}.${id}`);
    const shown = Buffer.from(signature, 'base64url');
    if (shown.length !== expected.length || !timingSafeEqual(shown, expected)) return undefined;
    return { digest: who === restWord ? null : who, expiresAt: Number(expiresAt), id };
  }

  private mac(text: string): Buffer {
    return createHmac('sha256', this.key).update(text).digest();
  }
}
