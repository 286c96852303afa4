/** Who may enter the log interface: HTTP Basic credentials (RFC 7617). */
import type { IncomingMessage } from 'node:http';
import type { Refusal } from './error-shapes.js';
import { Secrets } from './secrets.js';

const unauthorized: Refusal = {
  status: 401,
  message: 'unauthorized: valid Basic credentials are required',
  headers: { 'www-authenticate': 'Basic realm="stepwell", charset="UTF-8"' },
};

export class BasicCredentials {
  private readonly pairs: Secrets;

  constructor(username: string, password: string) {
    this.pairs = new Secrets([`${username}:${password}`]);
  }

  /** Why this request may not enter; undefined if it may. */
  judge(request: IncomingMessage): Refusal | undefined {
    const encoded = /^basic +([a-z0-9+/_=-]+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (encoded === undefined) return unauthorized;
    const pair = Buffer.from(encoded, 'base64').toString('utf8');
    return this.pairs.include(pair) ? undefined : unauthorized;
  }
}
