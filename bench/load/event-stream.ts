/** A consume that goes on, from the reader's side. */
import type { Pool } from 'undici';
import { logHeaders } from './topic-passes.js';

/** So long without a piece means that nothing more will come. */
const stalledMs = 10_000;

/** Pieces as they come, events cut anywhere; a reader that stops iterating ends the request. */
export async function* eventStream(
  pool: Pool,
  path: string,
  body: Buffer,
  headers: Readonly<Record<string, string>> = logHeaders,
): AsyncGenerator<Buffer> {
  const response = await pool.request({
    method: 'POST',
    path,
    headers: { ...headers, accept: 'text/event-stream' },
    body,
    bodyTimeout: stalledMs,
  });
  if (response.statusCode !== 200) {
    throw new Error(`${path} answered ${response.statusCode}: ${await response.body.text()}`);
  }
  yield* response.body as AsyncIterable<Buffer>;
}
