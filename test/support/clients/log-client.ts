/** Raw requests to the log interface of a server in this process. */
import type { TestServer } from '../server.js';

export interface LogAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface LogMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly value: string | null;
}

/** Asks with the configured credentials; a body that is no text is sent as JSON. */
export async function callLog(
  server: TestServer,
  path: string,
  body?: unknown,
  { method = body === undefined ? 'GET' : 'POST', ...headers }: Record<string, string> = {},
): Promise<LogAnswer> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: server.basic, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? null : JSON.parse(text),
  };
}

/** Appends one record for each value to one partition. */
export async function produceTo(
  server: TestServer,
  topic: string,
  partition: number,
  ...values: string[]
): Promise<void> {
  const records = values.map((value) => ({ value, partition }));
  const { status, body } = await callLog(server, `/produce/${topic}`, records);
  if (status !== 200) throw new Error(`produce answered ${status}: ${JSON.stringify(body)}`);
}

/** The values that a consume of `topics` brings, at once if there are none. */
export async function consumed(
  server: TestServer,
  place: string,
  topics: string | readonly string[],
  headers: Record<string, string> = {},
): Promise<(string | null)[]> {
  const body = typeof topics === 'string' ? { topic: topics } : { topics };
  const answer = await callLog(server, `/consume/${place}`, { ...body, timeout: 0 }, headers);
  if (answer.status !== 200) throw new Error(`consume answered ${JSON.stringify(answer.body)}`);
  return (answer.body as LogMessage[]).map(({ value }) => value);
}

/** What a group has committed in each partition of a topic. */
export async function committedOf(
  server: TestServer,
  group: string,
  topic: string,
  partitions = 3,
): Promise<number[]> {
  const places = Array.from({ length: partitions }, (_, partition) => ({ topic, partition }));
  const { body } = await callLog(server, `/committed/${group}/any`, places);
  return (body as { offset: number }[]).map(({ offset }) => offset);
}
