/** Requests to a running server. Every unsuccessful answer becomes an `ApiRefusal`. */
import type { IncomingMessage } from 'node:http';
import { systemClock } from '../../engine/clock.js';
import { fieldsOf, jsonIn } from '../../grammar/json.js';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { type ApiObject, itemsIn } from './api-object.js';
import { ApiRefusal, ClientError, DamagedRows, Unreachable } from './client-errors.js';
import { exchange, type RequestHeaders, textOf } from './exchange.js';

/** The address of a server, and the credentials for it. */
export interface ServerAddress {
  /** Without a trailing slash. */
  readonly url: string;
  readonly token: string | null;
  /** For routes outside of `/v2` (topics.md 1.1); without it, the token is used there too. */
  readonly basic: { readonly username: string; readonly password: string } | null;
  /** The dialect that was requested, or that of the local server; null if neither is known. */
  readonly dialect: string | null;
}

/** A filter given more than once has its values in an array. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** What a request has besides its method and path. */
export interface ApiRequest {
  readonly query?: Query;
  readonly headers?: RequestHeaders;
  /** Bytes and text are sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  /** Aborts the request, which then rejects with `Unreachable`. */
  readonly signal?: AbortSignal;
}

export type { ApiObject } from './api-object.js';

/** The server that a command talks to. */
export class ApiClient {
  /** How far the server's clock is ahead of the local clock, in ms, by its last answer. */
  msAhead = 0;

  constructor(readonly address: ServerAddress) {}

  /** The time of the server in Unix ms; the local time until a first answer has arrived. */
  readonly now = (): number => systemClock.now() + this.msAhead;

  get<Answer = ApiObject>(path: string, query: Query = {}): Promise<Answer> {
    return this.call<Answer>('GET', path, { query });
  }

  post<Answer = ApiObject>(path: string, request: ApiRequest = {}): Promise<Answer> {
    return this.call<Answer>('POST', path, request);
  }

  patch<Answer = ApiObject>(path: string, request: ApiRequest = {}): Promise<Answer> {
    return this.call<Answer>('PATCH', path, request);
  }

  delete<Answer = ApiObject>(path: string, request: ApiRequest = {}): Promise<Answer> {
    return this.call<Answer>('DELETE', path, request);
  }

  /**
   * The items of a listing, page by page, `countMax` at most (messaging.md 1.4). `field` names the
   * array of a page. If some rows are missing, throws `DamagedRows` after the last item.
   */
  async *list(
    path: string,
    field: string,
    query: Query,
    countMax: number,
  ): AsyncGenerator<ApiObject> {
    let left = countMax;
    let cursor: unknown;
    const damaged = new Set<string>();
    do {
      const count = Math.min(left, pageMax);
      const page = await this.get(path, { ...query, count, cursor: textIn(cursor) });
      const items = itemsIn(page, field).slice(0, left);
      yield* items;
      left -= items.length;
      for (const place of itemsIn(page, 'damaged')) damaged.add(String(place['error']));
      cursor = page['cursor'];
    } while (left > 0 && typeof cursor === 'string');
    if (damaged.size > 0) throw new DamagedRows([...damaged]);
  }

  /**
   * The JSON of an answer, of the type that its route documents; an empty answer is an empty
   * object.
   */
  async call<Answer>(method: string, path: string, request: ApiRequest): Promise<Answer> {
    const text = await this.reading(textOf(await this.send(method, path, request)));
    return (text === '' ? {} : parsed(text, this.address.url)) as Answer;
  }

  /** A successful answer whose body is still to be read. */
  async send(
    method: string,
    path: string,
    { query = {}, headers = {}, body, signal }: ApiRequest,
  ): Promise<IncomingMessage> {
    const { url } = this.address;
    const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);
    const sentAt = systemClock.now();
    const sent = exchange(url, `${path}${queryText(query)}`, {
      method,
      headers: {
        ...this.credentialFor(path),
        ...(isJson && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isJson ? JSON.stringify(body) : body,
      signal,
    });
    const answer = await this.reading(sent);
    this.msAhead = msAheadOf(answer.headers.date, sentAt);
    const { statusCode: status = 0 } = answer;
    if (status >= 200 && status < 300) return answer;
    const to = answer.headers.location;
    if (status < 400 && to !== undefined) {
      // An unread answer would keep the command running until the server closes the connection.
      answer.destroy();
      throw new ClientError(`${url} redirects to ${to}: set STEPWELL_URL to that`, exitCodes.usage);
    }
    const sentence = errorIn(await this.reading(textOf(answer))) ?? `${url} answered ${status}`;
    throw new ApiRefusal(status, status === 401 ? `${sentence}; ${hintFor(path)}` : sentence);
  }

  /** Names the server if a connection fails, and the header if one cannot be sent. */
  private async reading<Part>(part: Promise<Part>): Promise<Part> {
    try {
      return await part;
    } catch (error) {
      const unsendable = unsendableIn(error);
      if (unsendable !== null) throw new ClientError(unsendable, exitCodes.usage);
      throw new Unreachable(this.address.url, error);
    }
  }

  /** The header with the credential for a path. */
  credentialFor(path: string): Record<string, string> {
    const { token, basic } = this.address;
    if (basic !== null && (!isMessaging(path) || token === null)) {
      const text = Buffer.from(`${basic.username}:${basic.password}`).toString('base64');
      return { authorization: `Basic ${text}` };
    }
    return token === null ? {} : { authorization: `Bearer ${token}` };
  }
}

/** Dates in headers have a resolution of one second, so smaller differences are ignored. */
const clockDistanceMs = 2000;

/**
 * 0 if the date of the answer lies between the sending of the request and now, as far as a header
 * can show that.
 */
function msAheadOf(date: string | undefined, sentAt: number): number {
  const at = Date.parse(date ?? '');
  const ahead = at - systemClock.now();
  const behind = sentAt - at;
  if (ahead > clockDistanceMs) return ahead;
  return behind > clockDistanceMs ? -behind : 0;
}

const pageMax = 100;

const textIn = (value: unknown) => (typeof value === 'string' ? value : undefined);

/**
 * Why Node.js refused to send a header, whose name is in quotes in its message; null for any other
 * error.
 */
function unsendableIn(error: unknown): string | null {
  if (!(error instanceof Error && 'code' in error)) return null;
  const [, name = ''] = /\["(.*)"\]$/s.exec(error.message) ?? [];
  if (error.code === 'ERR_INVALID_CHAR') {
    return `the header ${name} would contain a character that headers cannot carry`;
  }
  return error.code === 'ERR_INVALID_HTTP_TOKEN' ? `${name} is not a header name` : null;
}

function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** Every answer of a Stepwell server is an object or a list. */
function parsed(text: string, url: string): unknown {
  const value = jsonIn(text);
  if (typeof value === 'object' && value !== null) return value;
  const otherwise = value === undefined ? 'JSON' : 'an object or a list';
  throw new ClientError(`${url} did not answer with ${otherwise}`, exitCodes.failure);
}

const isMessaging = (path: string) => path.startsWith('/v2');

/** What a new user can do about a 401. The server's own token is valid for `/v2` only. */
function hintFor(path: string): string {
  return isMessaging(path)
    ? "give the server's token in STEPWELL_TOKEN or --token"
    : 'give STEPWELL_REST_USERNAME and STEPWELL_REST_PASSWORD, or a named token in --token';
}

function errorIn(text: string): string | null {
  const { error } = fieldsOf(jsonIn(text));
  return typeof error === 'string' ? error : null;
}
