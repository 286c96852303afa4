/** What happens to one run (workflows.md 4.6). */

import type { ApiClient, ApiObject } from './api-client.js';
import { itemsIn } from './api-object.js';
import { eventStream } from './event-stream.js';
import { pathPart } from './path-part.js';

/** The rows of its log from its start on, as they come, until it is over. */
export async function* runRows(api: ApiClient, id: string): AsyncGenerator<ApiObject> {
  const path = `/v2/workflows/runs/${pathPart(id)}/stream`;
  for await (const { data } of eventStream(api, path, {})) {
    yield* itemsIn(data, 'rows');
  }
}
