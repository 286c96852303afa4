/**
 * Public tokens: each may read the stream of one run until it expires, so that a browser can show
 * it. The server keeps nothing for them: they say what they are good for, and are signed.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { BearerToken } from '../../http/identity/bearer-token.js';
import type { RequestHead } from '../../http/request-head.js';

/** What the journal and the log call the bearer of such a token. */
export const publicPrincipal = 'run-token';

const form = /^swr_([\w-]{1,2048})\.([\w-]{43})$/;
const streamPath = /^\/v2\/workflows\/runs\/([^/?]+)\/stream(?:\?|$)/;

/** A token cannot be taken back but with the credentials of the server. */
export class RunTokens {
  private readonly key: Buffer;

  /** `secrets` are credentials of this server: a change of them makes its tokens worthless. */
  constructor(
    secrets: readonly string[],
    private readonly now: () => number,
  ) {
    this.key = createHmac('sha256', 'stepwell run token').update(JSON.stringify(secrets)).digest();
  }

  /** A token for the stream of `runId`, good until `expiresAt`, Unix milliseconds. */
  sign(runId: string, expiresAt: number): string {
    const said = Buffer.from(JSON.stringify([runId, expiresAt])).toString('base64url');
    return `swr_${said}.${this.mac(said).toString('base64url')}`;
  }

  /** Who a token is for this request; undefined = it is none, or not for what is asked. */
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
