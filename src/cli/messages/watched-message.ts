/** What becomes of one message, until it is final. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient, ApiObject } from '../connect/api-client.js';

const lookAgainMs = 250;
const finalStates = new Set(['DELIVERED', 'FAILED', 'CANCELED']);

/** The rows of its log in their order, each once, as they come; ends with the row of its end. */
export async function* watched(api: ApiClient, messageId: string): AsyncGenerator<ApiObject> {
  let shown = 0;
  for (;;) {
    const { logs } = await api.get<{ logs: readonly ApiObject[] }>('/v2/logs', {
      messageId,
      order: 'earliestFirst',
      count: 1000,
    });
    for (const row of logs.slice(shown)) {
      yield row;
      if (finalStates.has(String(row['state']))) return;
    }
    shown = logs.length;
    await pause(lookAgainMs);
  }
}
