/** A request as it is written to a connection (RFC 9112). Pure. */
import { isHeaderName, isHeaderValue } from '../../grammar/headers.js';
import { ok, type Result, refused } from '../../grammar/result.js';

/** A request of which everything is known before it is sent. */
export interface WireRequest {
  readonly method: string;
  /** Request line and fields, with the empty line behind them; its characters are bytes. */
  readonly head: string;
  /** null = none is sent. */
  readonly body: Buffer | null;
}

/** Of these methods a body without bytes has a length, too (RFC 9110, 8.6). */
const expectsBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * `headers` are names and values in turn, without Host, Connection and Content-Length, which stand
 * here. Refuses what no header can carry, so that no header becomes two.
 */
export function wireRequest(
  { host, pathname, search }: URL,
  method: string,
  headers: readonly string[],
  body: Buffer | null,
): Result<WireRequest> {
  let head = `${method} ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n`;
  head += 'connection: keep-alive\r\n';
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    if (!isHeaderName(name)) return refused('a header has a name that cannot be sent');
    if (!isHeaderValue(value)) return refused(`the header ${name} has a value that cannot be sent`);
    head += `${name}: ${value}\r\n`;
  }
  const length = body?.length ?? 0;
  if (length > 0 || expectsBody.has(method)) head += `content-length: ${length}\r\n`;
  return ok({ method, head: `${head}\r\n`, body: length > 0 ? body : null });
}
