/** Decides who may enter with a bearer token, and what the role of a token permits. */
import { hash } from 'node:crypto';
import { Refusal } from '../../grammar/result.js';
import { decodeQueryValue, tokenParameters } from '../dialect.js';
import type { RequestHead } from '../request-head.js';
import { AcceptedHeaders } from './accepted-headers.js';
import type { AuthorizationResult } from './authorization-result.js';

/**
 * `read`: `GET` of everything that is not secret. `operate`: everything except `/admin` and signing
 * keys; under `/admin` it may read what `read` may. `admin`: everything.
 */
export type Role = 'read' | 'operate' | 'admin';

/**
 * Confidential contents of an answer: signing keys (`keys`), with which their reader could sign
 * deliveries and which only `admin` may see, or data that is redacted elsewhere (`originals`),
 * which `read` may not see.
 */
export type Confidential = 'keys' | 'originals';

/** A token as it is stored: only its digest is. */
export interface BearerToken {
  /** The name of the token in the journal: `env:1`, `token:deploy`. */
  readonly principal: string;
  readonly role: Role;
}

/** Finds a created token by its `tokenDigest`; undefined if there is none, or no longer. */
export type TokenLookUp = (digest: string) => BearerToken | undefined;

/** Finds a scoped token; undefined = it is none, or not valid for this request. */
export type ScopedLookUp = (token: string, request: RequestHead) => BearerToken | undefined;

/** Finds the session in the cookie of a request; undefined = its client has not signed in. */
export type SessionLookUp = (request: RequestHead) => BearerToken | undefined;

const unauthorized: Refusal = new Refusal(
  'unauthorized',
  'unauthorized: a valid bearer token is required',
  { 'www-authenticate': 'Bearer' },
);
const readOnly: Refusal = new Refusal('forbidden', 'forbidden: this token may only read');
const secret: Refusal = new Refusal(
  'forbidden',
  'forbidden: this token may not see signing keys, which let their reader sign deliveries',
);
const originals: Refusal = new Refusal(
  'forbidden',
  'forbidden: this token may only read, and the entries of a run are not redacted: see its logs',
);
const unknown: AuthorizationResult = { principal: null, refusal: unauthorized };

/** Identifies a token: SHA-256 in hexadecimal. */
export function tokenDigest(token: string): string {
  return hash('sha256', token, 'hex');
}

/** One per server: configured tokens, those created over the API, sessions, and scoped tokens. */
export class BearerTokens {
  /**
   * By digest. A look-up may take longer the closer another digest is, but that reveals nothing
   * about tokens, because digests cannot be steered.
   */
  private readonly configured = new Map<string, BearerToken>();
  private lookUp: TokenLookUp = () => undefined;
  private isName: (user: string) => boolean = () => false;
  private inCookie: SessionLookUp = () => undefined;
  private scoped: ScopedLookUp = () => undefined;
  /** The digests of the tokens in remembered headers. */
  private readonly accepted = new AcceptedHeaders<string>();

  /** `tokens` may do everything; `readTokens` may only `GET` and `HEAD` what is not secret. */
  constructor(tokens: readonly string[], readTokens: readonly string[]) {
    const know = (prefix: string, role: Role) => (token: string, index: number) => {
      this.configured.set(tokenDigest(token), { principal: `${prefix}:${index + 1}`, role });
    };
    readTokens.forEach(know('env-read', 'read'));
    tokens.forEach(know('env', 'admin'));
  }

  /** Adds further tokens, which may enter the log interface, too. */
  alsoKnow(lookUp: TokenLookUp): void {
    this.lookUp = lookUp;
  }

  /** `isName` returns whether a created token names a user. */
  alsoName(isName: (user: string) => boolean): void {
    this.isName = isName;
  }

  /** Lets browser sessions enter both interfaces, with the role of the credential behind them. */
  alsoAcceptSessions(lookUp: SessionLookUp): void {
    this.inCookie = lookUp;
  }

  /** Adds tokens that are valid only for some requests, which `lookUp` decides. */
  alsoAdmit(lookUp: ScopedLookUp): void {
    this.scoped = lookUp;
  }

  /** Whether a created token names this user (messaging.md 1.1). */
  names(user: string): boolean {
    return this.isName(user);
  }

  /** Whether this request may enter the messages and workflows interface. */
  admit(request: RequestHead, shows?: Confidential): AuthorizationResult {
    const token = this.find(request);
    if (token === undefined) return unknown;
    const { principal } = token;
    return { principal, refusal: refusalOf(token, request, shows) };
  }

  /** The created token in the header of this request; undefined = none. */
  created({ headers: { authorization } }: RequestHead): BearerToken | undefined {
    if (authorization === undefined) return undefined;
    const digest = this.digestIn(authorization);
    return digest === undefined || this.configured.has(digest) ? undefined : this.lookUp(digest);
  }

  /** The session of a request with a cookie but no `Authorization` header; undefined = none. */
  session(request: RequestHead): BearerToken | undefined {
    const { authorization, cookie } = request.headers;
    return authorization === undefined && cookie !== undefined ? this.inCookie(request) : undefined;
  }

  /** The token with this `tokenDigest`, configured or created; undefined = none is valid. */
  known(digest: string): BearerToken | undefined {
    return this.configured.get(digest) ?? this.lookUp(digest);
  }

  /** Whether a query value is a token of this server, and so does not belong to the destination. */
  include(token: string): boolean {
    return this.known(tokenDigest(token)) !== undefined;
  }

  /** A request target without tokens of this server in its query. */
  withoutOwn(target: string): string {
    const [path = '', ...queries] = target.split('?');
    const query = queries.join('?');
    const others = query.split('&').filter((parameter) => !this.isOwn(parameter));
    return others.length === 0 || query === '' ? path : `${path}?${others.join('&')}`;
  }

  private isOwn(parameter: string): boolean {
    const [name = '', ...rest] = parameter.split('=');
    const value = tokenParameters.includes(name) ? decodeQueryValue(rest.join('=')) : undefined;
    return value !== undefined && this.include(value);
  }

  private find(request: RequestHead): BearerToken | undefined {
    const { authorization } = request.headers;
    if (authorization === undefined) {
      const inQuery = tokenInQuery(request);
      if (inQuery === undefined) return this.session(request);
      return this.known(tokenDigest(inQuery)) ?? this.scoped(inQuery, request);
    }
    const digest = this.digestIn(authorization);
    if (digest === undefined) return undefined;
    const token = this.known(digest);
    if (token === undefined) return this.scoped(authorization.replace(/^\S+ +/, ''), request);
    this.accepted.remember(authorization, digest);
    return token;
  }

  private digestIn(authorization: string): string | undefined {
    const remembered = this.accepted.meaningOf(authorization);
    if (remembered !== undefined) return remembered;
    const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
    return token === undefined ? undefined : tokenDigest(token);
  }
}

/** Why a token may not make a request, whatever its route; undefined if it may. */
export function refusalOf(
  { role }: BearerToken,
  { method }: RequestHead,
  shows?: Confidential,
): Refusal | undefined {
  if (role === 'admin') return undefined;
  if (role === 'read' && method !== 'GET' && method !== 'HEAD') return readOnly;
  if (shows === 'originals' && role === 'read') return originals;
  return shows === 'keys' ? secret : undefined;
}

/** The token in the query, which is read only if there is no header: the header wins. */
function tokenInQuery({ url = '' }: RequestHead): string | undefined {
  const question = url.indexOf('?');
  if (question < 0) return undefined;
  for (const part of url.slice(question + 1).split('&')) {
    const equals = part.indexOf('=');
    if (equals < 0 || !tokenParameters.includes(part.slice(0, equals))) continue;
    return decodeQueryValue(part.slice(equals + 1));
  }
  return undefined;
}
