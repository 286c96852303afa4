/** Sessions of the console: a cookie stands for a credential (ADR 46). */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../engine/clock.js';
import type { Identifiers } from '../engine/identifiers.js';
import { provided } from '../engine/provided.js';
import { lastUsed } from '../grammar/collections.js';
import { Refusal } from '../grammar/result.js';
import { BasicCredentials } from '../http/identity/basic-auth.js';
import { type BearerToken, BearerTokens, tokenDigest } from '../http/identity/bearer-token.js';
import { permits } from '../http/identity/grant.js';
import type { RequestHead } from '../http/request-head.js';
import type { Credentials } from '../server/credentials/credentials.js';
import { CredentialWatch } from '../server/inbound/credential-watch.js';
import type { SessionRequest } from './session.request.js';
import { SessionCookies, type SignedSession } from './session-cookie.js';

/** How long a session lasts. */
export const sessionMs = 12 * 60 * 60 * 1000;

/** A new session, and the principal it acts as. */
export interface OpenedSession extends BearerToken {
  /** The cookie of the session: name and value. */
  readonly cookie: string;
  /** In Unix ms. */
  readonly expiresAt: number;
}

/** How many sessions that ended early are remembered; the oldest ones are forgotten. */
const endedMax = 10_000;
const idBytes = 12;

const unknownCredential: Refusal = new Refusal(
  'unauthorized',
  'unauthorized: there is no such token, or no such username and password',
  { 'www-authenticate': 'Session realm="stepwell"' },
);
const limitedCredential: Refusal = new Refusal(
  'forbidden',
  'forbidden: this credential is limited to topics; sign in with a token, or with credentials ' +
    'that have ALL for *',
);

/**
 * Stores nothing of a session except that it was ended, which a restart forgets. A cookie is signed
 * with the server's credentials, and valid as long as the credential that it stands for.
 */
@Injectable()
export class Sessions {
  private readonly cookies: SessionCookies;
  private readonly restPrincipal: string;
  private readonly ended = lastUsed<string, true>(endedMax);

  constructor(
    private readonly bearer: BearerTokens,
    private readonly basic: BasicCredentials,
    private readonly watch: CredentialWatch,
    @Inject(provided.credentials) credentials: Credentials,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {
    const { tokens, readTokens, restUsername, restPassword } = credentials;
    this.cookies = new SessionCookies([
      ...tokens,
      '',
      ...readTokens,
      '',
      restUsername,
      restPassword,
    ]);
    this.restPrincipal = `rest:${restUsername}`;
    bearer.alsoAcceptSessions((request) => this.of(request));
  }

  /**
   * Signs in. Refuses an unknown credential with 401, and one that is limited to topics with 403.
   */
  open(request: SessionRequest): OpenedSession | Refusal {
    if ('token' in request) return this.openBy(tokenDigest(request.token));
    const { username, password } = request;
    const known = this.basic.grantOfPair(username, password);
    if (known === undefined) return unknownCredential;
    // The username that signs the cookie identifies only the configured pair.
    const isOwn =
      known.principal === this.restPrincipal && permits(known.grant, 'administer', null);
    return isOwn ? this.openBy(null) : limitedCredential;
  }

  /** Who is signed in with the cookie of a request; undefined if it has no valid session. */
  of(request: RequestHead): BearerToken | undefined {
    return this.signedIn(request)?.as;
  }

  /** When a request's session expires, in Unix ms; undefined if it has none. */
  expiryOf(request: RequestHead): number | undefined {
    return this.signedIn(request)?.signed.expiresAt;
  }

  /** Signs out: the cookie is refused from now on, and its streams end. Returns an empty cookie. */
  end(request: RequestHead): string {
    const session = this.signedIn(request);
    if (session !== undefined) {
      this.ended.set(session.signed.id, true);
      this.watch.lookSoon();
    }
    return `${this.cookies.name}=`;
  }

  /** The id of the requesting browser if it has signed in before; undefined = unknown. */
  browserOf({ headers: { cookie } }: RequestHead): string | undefined {
    return cookie === undefined ? undefined : this.cookies.readBrowser(cookie);
  }

  /** Name and value of the cookie that identifies a browser after it has signed in. */
  browserCookie(request: RequestHead): string {
    const id = this.browserOf(request) ?? this.newId();
    return `${this.cookies.browserName}=${this.cookies.signBrowser(id)}`;
  }

  private openBy(digest: string | null): OpenedSession | Refusal {
    const as = this.holderOf(digest);
    if (as === undefined) return unknownCredential;
    const expiresAt = this.clock.now() + sessionMs;
    const id = this.newId();
    const value = this.cookies.sign({ digest, expiresAt, id });
    const { principal, role } = as;
    return { principal, role, expiresAt, cookie: `${this.cookies.name}=${value}` };
  }

  private newId(): string {
    return this.identifiers.randomBytes(idBytes).toString('base64url');
  }

  private signedIn({
    headers: { cookie },
  }: RequestHead): { readonly signed: SignedSession; readonly as: BearerToken } | undefined {
    if (cookie === undefined) return undefined;
    const signed = this.cookies.read(cookie);
    if (signed === undefined || signed.expiresAt <= this.clock.now()) return undefined;
    if (this.ended.has(signed.id)) return undefined;
    // The token may have been revoked meanwhile, or have expired.
    const as = this.holderOf(signed.digest);
    return as === undefined ? undefined : { signed, as };
  }

  private holderOf(digest: string | null): BearerToken | undefined {
    if (digest !== null) return this.bearer.known(digest);
    return { principal: this.restPrincipal, role: 'admin' };
  }
}
