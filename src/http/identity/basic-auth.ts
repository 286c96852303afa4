/**
 * Decides who may enter the log interface, by HTTP Basic (RFC 7617) or a created bearer token, and
 * what each may do there.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../../grammar/result.js';
import { decodeQueryValue } from '../dialect.js';
import { refuseIf } from '../outcome.js';
import type { RequestHead } from '../request-head.js';
import { AcceptedHeaders } from './accepted-headers.js';
import type { AuthorizationResult } from './authorization-result.js';
import {
  type BearerToken,
  type BearerTokens,
  type Confidential,
  refusalOf,
} from './bearer-token.js';
import {
  type Access,
  accessOfRole,
  covers,
  fullGrant,
  type Grant,
  permits,
  permitsAll,
  type Right,
} from './grant.js';

const unauthorized: Refusal = new Refusal(
  'unauthorized',
  'unauthorized: valid Basic credentials are required',
  { 'www-authenticate': 'Basic realm="stepwell", charset="UTF-8"' },
);

/** A credential as it is stored: with a digest instead of its password. */
export interface KnownCredential extends Grant {
  /** `pairDigest` of its username and password, 32 bytes. */
  readonly digest: Buffer;
}

/** The credential that a request presents: a username and a digest. */
interface Presented {
  readonly username: string;
  readonly digest: Buffer;
  /** The name of the credential in the journal. */
  readonly principal: string;
}

/** The credential of a request that was found to be valid. */
interface Known {
  readonly principal: string;
  readonly grant: Access;
  /** The bearer token, if the credential is one; else null. */
  readonly token: BearerToken | null;
}

/**
 * Identifies a credential. All digests have the same length, so comparing them reveals nothing by
 * its duration.
 */
export function pairDigest(username: string, password: string): Buffer {
  return hash('sha256', `${username}:${password}`, 'buffer');
}

/**
 * One instance per server: holds the configured credential, those created over the API, and
 * everything else that may enter.
 */
export class BasicCredentials {
  private readonly configured: KnownCredential;
  private lookUp: (username: string) => KnownCredential | undefined = () => undefined;
  private tokens: Pick<BearerTokens, 'created' | 'session'> | null = null;
  private readonly accepted = new AcceptedHeaders<Presented>();

  /** The configured pair may do everything. */
  constructor(
    private readonly username: string,
    password: string,
  ) {
    this.configured = { ...fullGrant, digest: pairDigest(username, password) };
  }

  /** Adds further credentials, by username; the configured username is not looked up. */
  alsoKnow(lookUp: (username: string) => KnownCredential | undefined): void {
    this.lookUp = lookUp;
  }

  /** Lets created bearer tokens and sessions enter, too, with what their roles permit. */
  alsoAccept(tokens: Pick<BearerTokens, 'created' | 'session'>): void {
    this.tokens = tokens;
  }

  /** Whether this request may enter. */
  admit(request: RequestHead, shows?: Confidential): AuthorizationResult {
    const known = this.find(request);
    if (known === undefined) return unknown;
    const { principal, token } = known;
    return { principal, refusal: token === null ? undefined : refusalOf(token, request, shows) };
  }

  /**
   * Why a request that entered may not do this: a 403 that names the right and the topic; undefined
   * if it may. Without a topic (null), the right to any topic is enough.
   */
  judgeRight(request: RequestHead, right: Right, topic: string | null): Refusal | undefined {
    const grant = this.grantOf(request);
    // The configured pair may do everything.
    if (grant === this.configured) return undefined;
    if (grant instanceof Refusal) return grant;
    if (permits(grant, right, topic)) return undefined;
    const place = topic === null ? '' : ` topic ${topic}`;
    return new Refusal('forbidden', `forbidden: this credential may not ${wordOf(right)}${place}`);
  }

  /** Throws a 403 if a request that entered lacks a right, to whatever topic. */
  require(request: RequestHead, right: Right): void {
    refuseIf(this.judgeRight(request, right, null));
  }

  /**
   * Why a request that entered may not do this to all of `topics`, which belong to `owner`: a 403
   * that names none of them; undefined if it may.
   */
  judgeAll(
    request: RequestHead,
    right: Right,
    topics: Iterable<string>,
    owner: string,
  ): Refusal | undefined {
    const grant = this.grantOf(request);
    if (grant instanceof Refusal) return grant;
    if (permitsAll(grant, right, topics)) return undefined;
    const message = `forbidden: this credential may not ${wordOf(right)} every topic of ${owner}`;
    return new Refusal('forbidden', message);
  }

  /** Whether a listing may show the topic to the client of this request. */
  mayName(request: RequestHead, topic: string): boolean {
    const grant = this.grantOf(request);
    return !(grant instanceof Refusal) && covers(grant, topic);
  }

  /** What a request may do; a 401 if it may not even enter. */
  grantOf(request: RequestHead): Access | Refusal {
    return this.find(request)?.grant ?? unauthorized;
  }

  /** What this pair may do, and its name in the journal; undefined if it is not valid. */
  grantOfPair(
    username: string,
    password: string,
  ): { readonly principal: string; readonly grant: Access } | undefined {
    return this.known(presented(username, password));
  }

  private find(request: RequestHead): Known | undefined {
    const { authorization } = request.headers;
    if (authorization === undefined) {
      return this.known(presentedInQuery(request)) ?? ofToken(this.tokens?.session(request));
    }
    const remembered = this.accepted.meaningOf(authorization);
    if (remembered !== undefined) return this.known(remembered);
    const presented = presentedIn(authorization);
    if (presented === undefined) return ofToken(this.tokens?.created(request));
    const known = this.known(presented);
    if (known !== undefined) this.accepted.remember(authorization, presented);
    return known;
  }

  private known(presented: Presented | undefined): Known | undefined {
    if (presented === undefined) return undefined;
    const { username, digest, principal } = presented;
    const grant = username === this.username ? this.configured : this.lookUp(username);
    const isKnown = grant !== undefined && timingSafeEqual(grant.digest, digest);
    return isKnown ? { principal, grant, token: null } : undefined;
  }
}

function ofToken(token: BearerToken | undefined): Known | undefined {
  if (token === undefined) return undefined;
  return { principal: token.principal, grant: accessOfRole[token.role], token };
}

/** Names a right by one of the three words of credentials: the permission that includes it. */
function wordOf(right: Right): string {
  if (right === 'read') return 'consume';
  return right === 'inspect' ? 'administer' : right;
}

const unknown: AuthorizationResult = { principal: null, refusal: unauthorized };

function presentedIn(authorization: string): Presented | undefined {
  const encoded = /^basic +([a-z0-9+/_=-]+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon < 0 ? undefined : presented(pair.slice(0, colon), pair.slice(colon + 1));
}

/**
 * Senders of webhooks cannot set headers, so for webhooks alone credentials may be in the query
 * (topics.md 1.1). The header wins; the query is read only if there is no header.
 */
function presentedInQuery({ url = '' }: RequestHead): Presented | undefined {
  const query = /^\/webhook\/?\?(.*)$/s.exec(url)?.[1];
  if (query === undefined) return undefined;
  const found: Record<'user' | 'pass', string | undefined> = { user: undefined, pass: undefined };
  for (const part of query.split('&')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, equals);
    if (name === 'user' || name === 'pass')
      found[name] ??= decodeQueryValue(part.slice(equals + 1));
  }
  return found.user === undefined || found.pass === undefined
    ? undefined
    : presented(found.user, found.pass);
}

function presented(username: string, password: string): Presented {
  const principal = `rest:${username}`;
  return { username, digest: pairDigest(username, password), principal };
}
