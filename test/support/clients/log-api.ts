/** One request to the log interface of a server in this process, and what it answered. */

import type { TestServer } from '../server.js';
import type { Answer } from './api-call.js';

export interface LogCall {
  readonly method?: string;
  /** Beside the server's own credentials, or in their place. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Calls with a body (JSON unless it is text already, or bytes) by POST, without one by GET, and
 * with a content type that says nothing, as curl does.
 */
export async function callLog(
  server: TestServer,
  path: string,
  body?: unknown,
  { method = body === undefined ? 'GET' : 'POST', headers = {} }: LogCall = {},
): Promise<Answer> {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: server.basic,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Creates a credential; its `Authorization` value. */
export async function createCredential(
  server: TestServer,
  name: string,
  permissions: 'ALL' | 'PRODUCE' | 'CONSUME',
  topic: string,
): Promise<string> {
  const { status, body } = await callLog(server, '/admin/credentials', {
    name,
    permissions,
    topic,
  });
  if (status !== 201) throw new Error(`a credential was answered with ${status}`);
  const { username, password } = body as { readonly username: string; readonly password: string };
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
