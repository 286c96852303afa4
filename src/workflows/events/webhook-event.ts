/** The event that a call of a webhook is (workflows.md 3.5). Pure. */
import type { IncomingMessage } from 'node:http';
import { headerMap } from '../../grammar/headers.js';
import { withoutCredentials } from '../../http/own-credentials.js';

/**
 * JSON of `{method, header, body, proto, host, url}`: `header` in Title-Case with lists of values,
 * `body` as base64; `proto://host` and `url` together are what was called. `publicUrl` is how the
 * outside reaches this server, null = as the `Host` header says. `isOwn`: its `Authorization` is a
 * credential of this server, which no run may see.
 */
export function webhookEvent(
  { method, url = '', headers, rawHeaders }: Call,
  body: Buffer,
  publicUrl: string | null,
  isOwn: boolean,
): Buffer {
  const called = publicUrl === null ? null : new URL(publicUrl);
  const event = {
    method,
    header: headerMap(null, withoutCredentials(rawHeaders, isOwn)),
    body: body.toString('base64'),
    proto: called === null ? 'http' : called.protocol.slice(0, -1),
    host: called === null ? (headers.host ?? '') : called.host,
    url: `${called === null ? '' : called.pathname.replace(/\/$/, '')}${url}`,
  };
  return Buffer.from(JSON.stringify(event));
}

type Call = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>;
