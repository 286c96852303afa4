/** Follows what happens to one run (workflows.md 4.6). */

import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import type { ApiClient, ApiObject } from './api-client.js';
import { itemsIn } from './api-object.js';
import { ClientError } from './client-errors.js';
import { eventStream } from './event-stream.js';
import { pathPart } from './path-part.js';

/**
 * The rows of the run's log from its start, as they arrive, until the run has ended. Throws
 * `ClientError` if the server cannot read them from its disk.
 */
export async function* runRows(api: ApiClient, id: string): AsyncGenerator<ApiObject> {
  const path = `/v2/workflows/runs/${pathPart(id)}/stream`;
  for await (const { name, data } of eventStream(api, path, {})) {
    if (name === 'error') throw new ClientError(String(data['error']), exitCodes.damagedData);
    yield* itemsIn(data, 'rows');
  }
}
