/** Who may enter the messages and workflows interface: bearer tokens, some of them for reading. */
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../grammar/result.js';
import { decodeQueryValue, tokenParameters } from '../dialect.js';
import { Secrets } from './secrets.js';

const unauthorized: Refusal = new Refusal(
  'unauthorized',
  'unauthorized: a valid bearer token is required',
  { 'www-authenticate': 'Bearer' },
);
const readOnly: Refusal = new Refusal('forbidden', 'forbidden: this token may only read');
const secret: Refusal = new Refusal(
  'forbidden',
  'forbidden: this token may only read, and signing keys let their reader sign deliveries',
);

/** Spellings of good values that are remembered: a client has one. */
const acceptedMax = 64;

export class BearerTokens {
  private readonly tokens: Secrets;
  private readonly readTokens: Secrets;
  /**
   * `Authorization` values that were found good. A look-up compares hashes before it compares
   * text, so its duration does not show how close another value comes. Other values are compared
   * as digests.
   */
  private readonly accepted = new Set<string>();

  /** Tokens that may do everything, and tokens that may only `GET` and `HEAD` what is no secret. */
  constructor(tokens: readonly string[], readTokens: readonly string[]) {
    this.tokens = new Secrets(tokens);
    this.readTokens = new Secrets(readTokens);
  }

  /** Why this request may not enter; undefined if it may. `isSecret`: its answer holds secrets. */
  judge(request: IncomingMessage, isSecret: boolean): Refusal | undefined {
    const { authorization } = request.headers;
    if (authorization !== undefined && this.accepted.has(authorization)) return undefined;
    const token = presentedToken(request);
    if (token === undefined) return unauthorized;
    if (this.tokens.include(token)) {
      if (authorization !== undefined) this.remember(authorization);
      return undefined;
    }
    if (!this.readTokens.include(token)) return unauthorized;
    if (request.method !== 'GET' && request.method !== 'HEAD') return readOnly;
    return isSecret ? secret : undefined;
  }

  private remember(authorization: string): void {
    if (this.accepted.size < acceptedMax) this.accepted.add(authorization);
  }

  /** Whether a query value is a token of this server and therefore not the destination's. */
  include(token: string): boolean {
    return this.tokens.include(token) || this.readTokens.include(token);
  }
}

/** The header wins; the query is only read where there is none. */
function presentedToken(request: IncomingMessage): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) return /^bearer +(\S+)$/i.exec(authorization)?.[1];
  const { url = '' } = request;
  const question = url.indexOf('?');
  if (question < 0) return undefined;
  for (const part of url.slice(question + 1).split('&')) {
    const equals = part.indexOf('=');
    if (equals < 0 || !tokenParameters.includes(part.slice(0, equals))) continue;
    return decodeQueryValue(part.slice(equals + 1));
  }
  return undefined;
}
