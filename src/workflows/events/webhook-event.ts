/** Turns a call of a webhook into an event (workflows.md 3.5). Pure. */
import { headerMap } from '../../grammar/headers.js';

/** A call as a run may see it, without credentials of this server. */
export interface WebhookCall {
  readonly method: string | undefined;
  /** Path and query. */
  readonly target: string;
  /** The `Host` header; undefined = there is none. */
  readonly host: string | undefined;
  /** Alternating names and values. */
  readonly headers: readonly string[];
}

/**
 * JSON of `{method, header, body, proto, host, url}`: `header` has Title-Case names with lists of
 * values, `body` is base64, and `proto://host` plus `url` is the URL that was called. `publicUrl`
 * is the base URL under which others reach this server; null = use the `Host` header.
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
