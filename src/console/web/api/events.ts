/** The server-sent events of a path, one after another, until the server or `signal` ends them. */
import { ApiError, pageHeaders } from './client.ts';

/**
 * One event of a stream (WHATWG HTML, "server-sent events"); or only a position, from which a
 * stream that has brought no event yet resumes.
 */
export interface ServerEvent {
  /** The last id received is where a stream can resume. */
  readonly id: string | null;
  readonly name: string;
  /** Empty if it is a position and not an event. */
  readonly data: string;
}

/** `begun` is called once the server has answered. Throws `ApiError` if it refuses. */
export async function* eventsOf(
  path: string,
  signal: AbortSignal,
  lastId: string | null = null,
  begun: () => void = () => undefined,
): AsyncGenerator<ServerEvent> {
  const headers = { ...pageHeaders, accept: 'text/event-stream' };
  const response = await fetch(path, {
    headers: lastId === null ? headers : { ...headers, 'last-event-id': lastId },
    signal,
  });
  if (!response.ok || response.body === null) {
    const { error } = await response.json().catch(() => ({ error: undefined }));
    throw new ApiError(response.status, error ?? `it answered ${response.status}`);
  }
  begun();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      yield eventIn(part);
    }
  }
}

function eventIn(text: string): ServerEvent {
  let id: string | null = null;
  let name = 'message';
  const data: string[] = [];
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    const value = line.slice(colon + 1).replace(/^ /, '');
    if (line.startsWith('id:')) id = value;
    if (line.startsWith('event:')) name = value;
    if (line.startsWith('data:')) data.push(value);
  }
  return { id, name, data: data.join('\n') };
}
