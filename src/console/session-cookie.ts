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
const browserForm = /^([\w-]{1,64})\.([\w-]{43})$/;
const restWord = 'rest';

/** Signs and reads cookies of one server; changing its own credentials invalidates them. */
export class SessionCookies {
  /** Servers on other ports of a host get the same cookies, so each reads only its own. */
  readonly name: string;
  /** The name of the cookie that shows that a browser has signed in before. */
  readonly browserName: string;
  private readonly key: Buffer;

  /** `secrets` are credentials that only this server and its operators have. */
  constructor(secrets: readonly string[]) {
    this.key = createHmac('sha256', 'stepwell console session')
      .update(JSON.stringify(secrets))
      .digest();
    this.name = this.nameFor('name');
    this.browserName = this.nameFor('name of a browser');
  }

  /** The value of a session's cookie. */
  sign({ digest, expiresAt, id }: SignedSession): string {
    const said = `${digest ?? restWord}.${expiresAt}.${id}`;
    return `${said}.${this.mac(said).toString('base64url')}`;
  }

  /** The value of the cookie of a known browser. */
  signBrowser(id: string): string {
    return `${id}.${this.mac(`browser ${id}`).toString('base64url')}`;
  }

  /** Reads the session cookie in a `Cookie` header; undefined if there is no valid one. */
  read(header: string): SignedSession | undefined {
    return found(header, this.name, (value) => this.parse(value));
  }

  /** The id of the browser with these cookies; undefined if no cookie holds a valid one. */
  readBrowser(header: string): string | undefined {
    return found(header, this.browserName, (value) => {
      const [, id = '', signature = ''] = browserForm.exec(value) ?? [];
      return id !== '' && this.isSigned(`browser ${id}`, signature) ? id : undefined;
    });
  }

  private parse(value: string): SignedSession | undefined {
    const [, who = '', expiresAt = '', id = '', signature = ''] = form.exec(value) ?? [];
    if (who === '' || !this.isSigned(`${who}.${expiresAt}.${id}`, signature)) return undefined;
    return { digest: who === restWord ? null : who, expiresAt: Number(expiresAt), id };
  }

  private isSigned(text: string, signature: string): boolean {
    const expected = this.mac(text);
    const shown = Buffer.from(signature, 'base64url');
    return shown.length === expected.length && timingSafeEqual(shown, expected);
  }

  private nameFor(purpose: string): string {
    return `${sessionCookiePrefix}${this.mac(purpose).toString('hex').slice(0, 8)}`;
  }

  private mac(text: string): Buffer {
    return createHmac('sha256', this.key).update(text).digest();
  }
}

/** The first result of `parse` for a cookie with this name. */
function found<Said>(
  header: string,
  name: string,
  parse: (value: string) => Said | undefined,
): Said | undefined {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (pair.slice(0, equals).trim() !== name) continue;
    const said = parse(pair.slice(equals + 1).trim());
    if (said !== undefined) return said;
  }
  return undefined;
}
