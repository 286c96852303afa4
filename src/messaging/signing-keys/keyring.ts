/** The keys in use, for what shows or rotates them, and the signature of a delivery. */
import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { provided } from '../../engine/provided.js';
import { HmacKey } from './hmac.js';
import type { KeyPair, RotateSigningKeys } from './signing-keys.commands.js';
import { keysInUse } from './signing-keys.decider.js';
import { SigningKeys } from './signing-keys.entity.js';
import { signingKeysId, signingKeysKind } from './signing-keys.events.js';

/** The keys that the configuration names or the first start generated. */
interface ConfiguredKeys {
  readonly currentSigningKey: string;
  readonly nextSigningKey: string;
}

/** Random bytes of a fresh key. */
const keyBytes = 24;

/** Signing takes the keys as memory has them: a rotation is in force when it is decided. */
@Injectable()
export class Keyring {
  private readonly configured: KeyPair;

  constructor(
    private readonly keys: SigningKeys,
    @Inject(provided.credentials) { currentSigningKey, nextSigningKey }: ConfiguredKeys,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {
    this.configured = { current: currentSigningKey, next: nextSigningKey };
  }

  /** The pair that signs now. */
  get inUse(): KeyPair {
    const keys = this.keys.find(signingKeysId);
    return keys === undefined ? this.configured : keysInUse(keys.state, this.configured);
  }

  /** Signs one attempt with the current key. */
  sign({ issuer, url, body, now, id }: Omit<SigningInput, 'key'>): string {
    return sign({ key: this.inUse.current, issuer, url, body, now, id });
  }

  /** The command that makes the next key current and a fresh one next. */
  rotation(): RotateSigningKeys {
    return {
      type: 'RotateSigningKeys',
      kind: signingKeysKind,
      id: signingKeysId,
      at: this.clock.now(),
      configured: this.configured,
      fresh: `sig_${this.identifiers.randomBytes(keyBytes).toString('base64url')}`,
    };
  }
}

/** What a signature says, and what it is made with. */
export interface SigningInput {
  /** The current signing key as text; its UTF-8 bytes are the HMAC key. */
  readonly key: string;
  readonly issuer: string;
  /** The full destination, as it is called. */
  readonly url: string;
  /** The raw body; null signs the hash of nothing. */
  readonly body: Uint8Array | null;
  /** Unix milliseconds. */
  readonly now: number;
  /** What no other attempt has. */
  readonly id: string;
}

const lifetimeSeconds = 300;
const header = encode('{"alg":"HS256","typ":"JWT"}');
const empty = new Uint8Array(0);

/** The key of the signature before: one signs almost all. */
let latestKey = new HmacKey('');
/** How the claims before began: deliveries to one destination follow each other. */
let latestClaims = { issuer: '', url: '', text: '' };

/**
 * The signature of a delivery: a compact JWS with HS256 over the destination and the body's hash,
 * as published receivers verify it (messaging.md 4.2), valid for five minutes. `nbf` is 0, so that
 * a receiver whose clock is behind accepts it (some decoders insist that it exists). Synchronous on
 * purpose: WebCrypto goes through the thread pool, where the log waits for its fsyncs, and costs 29
 * us of CPU where this costs 3 (measured with jose 6 and a 1 KiB body).
 */
export function sign({ key, issuer, url, body, now, id }: SigningInput): string {
  const issuedAt = Math.floor(now / 1000);
  const digest = hash('sha256', body ?? empty, 'base64url');
  // Written by hand, which takes a third of the time: every delivery is signed.
  const claims = encode(
    `${claimsOf(issuer, url)}"exp":${issuedAt + lifetimeSeconds},"nbf":0,"iat":${issuedAt},` +
      `"jti":${JSON.stringify(`jwt_${id}`)},"body":"${digest}"}`,
  );
  const signed = `${header}.${claims}`;
  if (latestKey.secret !== key) latestKey = new HmacKey(key);
  return `${signed}.${latestKey.codeOf(signed)}`;
}

/** How claims begin that name an issuer and a destination. */
function claimsOf(issuer: string, url: string): string {
  if (latestClaims.url !== url || latestClaims.issuer !== issuer) {
    const text = `{"iss":${JSON.stringify(issuer)},"sub":${JSON.stringify(url)},`;
    latestClaims = { issuer, url, text };
  }
  return latestClaims.text;
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
