/** Parses a batch from the wire: a JSON array of publishes (messaging.md 2.3). Pure. */
import { isHeaderValue } from '../../grammar/headers.js';
import { fieldsOf, isJsonObject, isWellFormed, parseJson } from '../../grammar/json.js';
import { parseName } from '../../grammar/name.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { traceHeaders } from '../../grammar/trace-context.js';
import { headerBytesMax, headerCountMax } from '../../http/head-limits.js';
import type { PublishRequest, RequestContext } from './publish.request.js';
import { RepeatedItem, repeatedItems } from './repeated-items.js';

const noBody = Buffer.alloc(0);

/** The items of a batch: JSON values and `RepeatedItem`s, each to be read by `parseBatchItem`. */
export function parseBatch(body: Buffer): Result<readonly unknown[]> {
  const repeated = repeatedItems(body);
  if (repeated !== null) return ok(repeated);
  const json = parseJson(body);
  if (!json.ok) return json;
  const { value: items } = json;
  if (!Array.isArray(items)) return refused('the body is not an array of messages');
  return items.length > 0 ? ok(items) : refused('the batch is empty');
}

/**
 * Reads one item: `destination`, and optionally `headers`, `body` and `queue`. A null field counts
 * as absent, and unknown fields are ignored.
 */
export function parseBatchItem(given: unknown, context: RequestContext): Result<PublishRequest> {
  const item = saidIn(given);
  if (!isJsonObject(item)) return refused('a message of a batch must be an object');
  const { destination } = item;
  if (typeof destination !== 'string') return refused('destination must be a string');
  const headers = parseHeaders(item['headers'] ?? {});
  if (!headers.ok) return headers;
  const body = bodyOf(given);
  if (!body.ok) return body;
  const queue = parseQueue(item['queue'] ?? null);
  if (!queue.ok) return queue;
  const trace = traceHeaders(headers.value.rawHeaders);
  return ok({
    destination,
    trace: trace.length > 0 ? trace : (context.trace ?? trace),
    body: body.value,
    queueName: queue.value,
    mustRepeat: false,
    context,
    ...headers.value,
  });
}

/** Everything an item says apart from its body. */
export function saidIn(item: unknown): unknown {
  return item instanceof RepeatedItem ? item.first : item;
}

/** The body of an item, as bytes. */
export function bodyOf(item: unknown): Result<Buffer> {
  return item instanceof RepeatedItem ? ok(item.body) : parseBody(fieldsOf(item)['body'] ?? null);
}

/**
 * Headers of an item that could not be read, names and values in turn: they may still show which
 * kind of client sent it. Only the first ones, as an item may have been refused for their number.
 */
export function headersOf(item: unknown): readonly string[] {
  const headers = fieldsOf(fieldsOf(saidIn(item))['headers']);
  const pairs: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    pairs.push(name, typeof value === 'string' ? value : '');
    if (pairs.length >= 2 * headerCountMax) break;
  }
  return pairs;
}

/** Reads headers, at most as many as the head of a request may hold (messaging.md 1.1). */
function parseHeaders(map: unknown): Result<Pick<PublishRequest, 'rawHeaders' | 'contentType'>> {
  if (!isJsonObject(map)) return refused('headers must be an object of strings');
  const rawHeaders: string[] = [];
  let contentType: string | null = null;
  let bytes = 0;
  // Not by entries, which would be made of all headers, however many there are.
  for (const name in map) {
    const value = map[name];
    if (typeof value !== 'string') return refused(`the header ${name} must be a string`);
    rawHeaders.push(name, value);
    bytes += name.length + value.length;
    if (rawHeaders.length > 2 * headerCountMax || bytes > headerBytesMax) {
      return refused(`headers are more than ${headerCountMax} or ${headerBytesMax} bytes`);
    }
    if (name.toLowerCase() === 'content-type') contentType = value;
  }
  return contentType === null || isHeaderValue(contentType)
    ? ok({ rawHeaders, contentType })
    : refused('the header Content-Type has a value that no header can carry');
}

function parseBody(text: unknown): Result<Buffer> {
  if (text === null) return ok(noBody);
  if (typeof text !== 'string') return refused('body must be a string');
  if (!isWellFormed(text)) return refused('body contains an unpaired surrogate');
  return ok(Buffer.from(text, 'utf8'));
}

function parseQueue(name: unknown): Result<string | null> {
  if (name === null) return ok(null);
  if (typeof name !== 'string') return refused('queue must be a string');
  const queue = parseName(name);
  return queue.ok ? queue : refused(`queue ${queue.message}`);
}
