/** Dead letters grouped by what went wrong (messaging.md 10): one line for each kind of failure. */
import type { ApiClient, ApiObject, Query } from '../connect/api-client.js';
import { DamagedRows } from '../connect/client-errors.js';
import { fieldColumn, type Now, textOf, timeColumn } from '../output/columns.js';
import type { Output } from '../output/output.js';
import type { TableColumn } from '../output/table.js';

/**
 * The server examines a limited number of letters per request; this is how many requests are made
 * at most.
 */
const examinedMax = 200;

/** Lists the `countMax` largest groups of all letters that match the filters, largest first. */
export async function listGroups(
  api: ApiClient,
  output: Output,
  query: Query,
  countMax: number,
): Promise<void> {
  const groups = new Map<string, ApiObject>();
  let cursor: string | undefined;
  let looks = 0;
  const damaged = new Set<string>();
  do {
    const page = await api.get<GroupsPage>('/v2/dlq/groups', { ...query, cursor });
    for (const group of page.groups) add(groups, group);
    for (const { error } of page.damaged ?? []) damaged.add(error);
    cursor = page.cursor;
    looks += 1;
  } while (cursor !== undefined && looks < examinedMax);
  const sorted = [...groups.values()].sort((one, other) => countOf(other) - countOf(one));
  await output.rows(sorted.slice(0, countMax), columns(api.now), 'no dead letter');
  if (damaged.size > 0) throw new DamagedRows([...damaged]);
}

interface GroupsPage {
  readonly groups: readonly ApiObject[];
  readonly damaged?: readonly { readonly error: string }[];
  readonly cursor?: string;
}

const countOf = (group: ApiObject) => Number(group['count']);

/** Merges a group into those of earlier pages; later pages hold older letters. */
function add(groups: Map<string, ApiObject>, group: ApiObject): void {
  const { responseStatus, origin, error, oldestAt } = group;
  const name = JSON.stringify([responseStatus, origin, error]);
  const known = groups.get(name);
  const count = countOf(group) + (known === undefined ? 0 : countOf(known));
  groups.set(name, known === undefined ? group : { ...known, count, oldestAt });
}

function columns(now: Now): readonly TableColumn<ApiObject>[] {
  return [
    fieldColumn('count', 'count', { isRight: true }),
    {
      title: 'answer',
      text: (row, paint) => {
        const status = textOf(row, 'responseStatus');
        return paint('red', status === '0' ? 'none' : status);
      },
    },
    fieldColumn('to', 'origin', { yields: true }),
    timeColumn('newest', 'newestAt', now),
    timeColumn('oldest', 'oldestAt', now),
    fieldColumn('newest dead letter', 'dlqId'),
    fieldColumn('error', 'error', { yields: true }),
  ];
}
