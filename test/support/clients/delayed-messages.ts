/** Messages that stay in a server's memory for a test. */
import { type ApiServer, callApi } from './api-call.js';

/** Has a server hold so many more messages, each to be delivered in an hour. */
export async function publishDelayed(server: ApiServer, count: number): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  for (let sent = 0; sent < count; sent += 100) {
    const items = Array.from({ length: Math.min(100, count - sent) }, (_, index) => ({
      destination: 'https://example.com/',
      headers: { 'svc-delay': '1h' },
      body: `message ${sent + index}`,
    }));
    const { status } = await callApi(server, 'POST', '/v2/batch', headers, JSON.stringify(items));
    if (status !== 200) throw new Error(`the batch was answered with ${status}`);
  }
}
