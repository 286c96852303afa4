/** The event that a call of a webhook is (workflows.md 3.5). Pure. */
import { headerMap } from '../../grammar/headers.js';

/** A call as a run may see it: without credentials of this server. */
export interface WebhookCall {
  readonly method: string | undefined;
  /** Path and query. */
  readonly target: string;
  /** As the `Host` header says; undefined = there is none. */
  readonly host: string | undefined;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/**
 * JSON of `{method, header, body, proto, host, url}`: `header` in Title-Case with lists of values,
 * `body` as base64; `proto://host` and `url` together are what was called. `publicUrl` is how the
 * outside reaches this server, null = as the `Host` header says.
 */
export function webhookEvent(
  { method, target, host, headers }: WebhookCall,
  body: Buffer,
  publicUrl: string | null,
): Buffer {
  const called = publicUrl === null ? null : new URL(publicUrl);
  const event = {
    method,
    header: headerMap(null, headers),
    body: body.toString('base64'),
    proto: called === null ? 'http' : called.protocol.slice(0, -1),
    host: called === null ? (host ?? '') : called.host,
    url: `${called === null ? '' : called.pathname.replace(/\/$/, '')}${target}`,
  };
  return Buffer.from(JSON.stringify(event));
}
