/** Requests whose body is no JSON, or whose path holds a URL, as they are: typed clients encode. */
import { ApiError, ask, pageHeaders, watchedFetch } from './client.ts';

/** A browser says by itself that a text is one; of bytes it says nothing. */
export type SentBody = string | Uint8Array<ArrayBuffer>;

/** Posts a text, or bytes; the JSON that was answered. Throws `ApiError`. */
export function sendText<Answer>(
  path: string,
  body: SentBody,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const send = async () => {
    const request = requestOf(path, body, headers);
    const response = await watchedFetch(request);
    const text = await response.text();
    const json = jsonIn(text);
    if (response.ok && json === undefined) {
      throw new ApiError(response.status, 'the answer of the server cannot be read');
    }
    // The caller says what the route answers.
    return response.ok ? { data: json as Answer, response } : { error: json, response };
  };
  return ask<Answer>(send());
}

/** What is typed may be no header at all: no server was asked then. */
function requestOf(path: string, body: SentBody, headers: Readonly<Record<string, string>>) {
  const method = 'POST';
  try {
    return new Request(`${location.origin}${path}`, {
      method,
      headers: { ...pageHeaders, ...headers },
      body,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ApiError(0, `the browser cannot send this: ${reason}`);
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
