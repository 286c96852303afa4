/**
 * Sends requests that typed clients would encode wrongly: those with a body that is not JSON, or
 * with a URL in the path.
 */
import { ApiError, ask, pageHeaders, watchedFetch } from './client.ts';
import { jsonIn } from './json-in.ts';

/** The browser declares the type of a text body itself, but not that of bytes. */
export type SentBody = string | Uint8Array<ArrayBuffer>;

/** Posts a text, or bytes; resolves to the JSON of the answer. Throws `ApiError`. */
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
    // The caller knows the type of the route's answer.
    return response.ok ? { data: json as Answer, response } : { error: json, response };
  };
  return ask<Answer>(send());
}

/** Typed headers may be invalid: then no request is sent. */
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
