/** Follows what happens to one message until it is final. */
import { setTimeout as pause } from 'node:timers/promises';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { untilAnswered } from '../client/until-answered.js';
import type { ApiClient, ApiObject } from '../connect/api-client.js';
import { ApiRefusal, ClientError } from '../connect/client-errors.js';
import { pathPart } from '../connect/path-part.js';

const checkAgainMs = 250;
const finalStates = new Set(['DELIVERED', 'FAILED', 'CANCELED']);

/**
 * The rows of the message's log in order, each once, as they arrive; ends after the row of a final
 * state. Throws `ClientError` if the server no longer keeps the message, so that no row can arrive.
 */
export async function* watched(api: ApiClient, messageId: string): AsyncGenerator<ApiObject> {
  const query = { messageId, order: 'earliestFirst', count: 1000 };
  let cursor: string | undefined;
  let shown = 0;
  for (;;) {
    const asked = { ...query, cursor };
    const page = await untilAnswered(() => api.get<LogsPage>('/v2/logs', asked));
    for (const row of page.logs.slice(shown)) {
      yield row;
      if (finalStates.has(String(row['state']))) return;
    }
    shown = page.logs.length;
    if (page.logs.length === 0) await requireKept(api, messageId);
    if (page.cursor === undefined) await pause(checkAgainMs);
    else [cursor, shown] = [page.cursor, 0];
  }
}

/** A duplicate may refer to a message that has ended and whose rows are no longer kept. */
async function requireKept(api: ApiClient, messageId: string): Promise<void> {
  try {
    await api.get(`/v2/messages/${pathPart(messageId)}`, { final: true });
  } catch (error) {
    if (!(error instanceof ApiRefusal && error.status === 404)) throw error;
    const said = `${messageId} has ended, and its log is no longer kept`;
    throw new ClientError(said, exitCodes.notFound);
  }
}

interface LogsPage {
  readonly logs: readonly ApiObject[];
  readonly cursor?: string;
}
