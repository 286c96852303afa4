/** What becomes of one message, until it is final. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient, ApiObject } from '../connect/api-client.js';

const lookAgainMs = 250;
const finalStates = new Set(['DELIVERED', 'FAILED', 'CANCELED']);

/** The rows of its log in their order, each once, as they come; ends with the row of its end. */
export async function* watched(api: ApiClient, messageId: string): AsyncGenerator<ApiObject> {
  const query = { messageId, order: 'earliestFirst', count: 1000 };
  let cursor: string | undefined;
  let shown = 0;
  for (;;) {
    const page = await api.get<LogsPage>('/v2/logs', { ...query, cursor });
    for (const row of page.logs.slice(shown)) {
      yield row;
      if (finalStates.has(String(row['state']))) return;
    }
    shown = page.logs.length;
    if (page.cursor === undefined) await pause(lookAgainMs);
    else [cursor, shown] = [page.cursor, 0];
  }
}

interface LogsPage {
  readonly logs: readonly ApiObject[];
  readonly cursor?: string;
}
