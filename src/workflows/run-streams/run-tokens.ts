/**
 * Public tokens: each may read the stream of one run until it expires, so that a browser can show
 * it. The server stores no tokens: a token names its run and expiry, and is signed.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { BearerToken } from '../../http/identity/bearer-token.js';
import type { RequestHead } from '../../http/request-head.js';

/** The name of the bearer of such a token in the journal and the log. */
export const publicPrincipal = 'run-token';

const form = /^swr_([\w-]{1,2048})\.([\w-]{43})$/;
const streamPath = /^\/v2\/workflows\/runs\/([^/?]+)\/stream(?:\?|$)/;

/**
 * Signs and checks tokens. A token can be revoked only by changing the credentials of the server.
 */
export class RunTokens {
  private readonly key: Buffer;

  /** `secrets` are credentials of this server: changing them invalidates all tokens. */
  constructor(
    secrets: readonly string[],
    private readonly now: () => number,
  ) {
    this.key = createHmac('sha256', 'stepwell run token').update(JSON.stringify(secrets)).digest();
  }

  /** Makes a token for the stream of `runId`, valid until `expiresAt` (Unix milliseconds). */
  sign(runId: string, expiresAt: number): string {
    const said = Buffer.from(JSON.stringify([runId, expiresAt])).toString('base64url');
    return `swr_${said}.${this.mac(said).toString('base64url')}`;
  }

  /**
   * The principal of a token for this request; undefined = it is no such token, or is not valid for
   * this request.
   */
  bearer(token: string, { url = '' }: RequestHead): BearerToken | undefined {
    const [, said = '', signature = ''] = form.exec(token) ?? [];
    if (said === '') return undefined;
    const shown = Buffer.from(signature, 'base64url');
    const expected = this.mac(said);
    if (shown.length !== expected.length || !timingSafeEqual(shown, expected)) return undefined;
    const [runId, expiresAt] = JSON.parse(Buffer.from(said, 'base64url').toString()) as [
      string,
      number,
    ];
    const isGood = runInPath(url) === runId && expiresAt > this.now();
    return isGood ? { principal: publicPrincipal, role: 'read' } : undefined;
  }

  private mac(said: string): Buffer {
    return createHmac('sha256', this.key).update(said).digest();
  }
}

function runInPath(url: string): string | null {
  const [, encoded = ''] = streamPath.exec(url) ?? [];
  try {
    return encoded === '' ? null : decodeURIComponent(encoded);
  } catch {
    return null;
  }
}
