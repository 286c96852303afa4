/** Who has signed in to the console: by a cookie that stands for a credential (ADR 46). */
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

/** How long one is signed in. */
export const sessionMs = 12 * 60 * 60 * 1000;

/** A session that has begun, and who it acts as. */
export interface OpenedSession extends BearerToken {
  /** The cookie that stands for it: name and value. */
  readonly cookie: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** Sessions that ended before their time; the oldest of more are forgotten. */
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
 * Nothing is stored of a session but that it was ended, which a restart forgets; a cookie is signed
 * with the server's credentials, and is good as long as what it stands for.
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

  /** Signs in. Refused with 401 for what is no credential, with 403 for one that is of topics. */
  open(request: SessionRequest): OpenedSession | Refusal {
    if ('token' in request) return this.openBy(tokenDigest(request.token));
    const { username, password } = request;
    const known = this.basic.grantOfPair(username, password);
    if (known === undefined) return unknownCredential;
    // Only the configured pair is known by the username that signs the cookie.
    const isOwn =
      known.principal === this.restPrincipal && permits(known.grant, 'administer', null);
    return isOwn ? this.openBy(null) : limitedCredential;
  }

  /** Who has signed in with the cookie of a request; undefined = its client has not. */
  of(request: RequestHead): BearerToken | undefined {
    return this.signedIn(request)?.as;
  }

  /** Until when a request's session lasts, Unix milliseconds; undefined where there is none. */
  expiryOf(request: RequestHead): number | undefined {
    return this.signedIn(request)?.signed.expiresAt;
  }

  /** Signs out: the cookie is refused from now on, its streams end. Returns an empty one for it. */
  end(request: RequestHead): string {
    const session = this.signedIn(request);
    if (session !== undefined) {
      this.ended.set(session.signed.id, true);
      this.watch.lookSoon();
    }
    return `${this.cookies.name}=`;
  }

  private openBy(digest: string | null): OpenedSession | Refusal {
    const as = this.holderOf(digest);
    if (as === undefined) return unknownCredential;
    const expiresAt = this.clock.now() + sessionMs;
    const id = this.identifiers.randomBytes(idBytes).toString('base64url');
    const value = this.cookies.sign({ digest, expiresAt, id });
    const { principal, role } = as;
    return { principal, role, expiresAt, cookie: `${this.cookies.name}=${value}` };
  }

  private signedIn({
    headers: { cookie },
  }: RequestHead): { readonly signed: SignedSession; readonly as: BearerToken } | undefined {
    if (cookie === undefined) return undefined;
    const signed = this.cookies.read(cookie);
    if (signed === undefined || signed.expiresAt <= this.clock.now()) return undefined;
    if (this.ended.has(signed.id)) return undefined;
    // A token may have been revoked since, or have expired.
    const as = this.holderOf(signed.digest);
    return as === undefined ? undefined : { signed, as };
  }

  private holderOf(digest: string | null): BearerToken | undefined {
    if (digest !== null) return this.bearer.known(digest);
    return { principal: this.restPrincipal, role: 'admin' };
  }
}
