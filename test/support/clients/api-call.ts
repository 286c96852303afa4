/** One request to the API of a server, and what it answered. */
/** What a client has to know of a server. */
export interface ApiServer {
  readonly url: string;
  /** An `Authorization` value. */
  readonly bearer: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON that was answered, or its lines as text; null where nothing was. */
  readonly body: unknown;
}

/** Calls with the server's own credentials, unless `headers` bring others. */
export async function callApi(
  server: ApiServer,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string | Buffer,
): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: server.bearer, ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? null : parsed(text, response.headers),
  };
}

function parsed(text: string, headers: Headers): unknown {
  return headers.get('content-type')?.includes('ndjson') === true ? text : JSON.parse(text);
}
