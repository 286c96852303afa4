/** Messages that have failed for good: why, and to try them again or let them go. */
import { Link } from '@tanstack/react-router';
import { RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { useRows } from '../api/rows.ts';
import { Action } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { type Filter, FilterBar, type Filters, useFilters } from '../parts/filter-bar.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { Empty, RowStates } from '../parts/states.tsx';
import { Time } from '../time/time.tsx';
import { BulkDialog, type BulkVerb } from './bulk-dialog.tsx';
import { queryOf } from './dead-letter-filters.ts';

const filters: readonly Filter[] = [
  { name: 'url', label: 'URL' },
  { name: 'label', label: 'Label' },
  { name: 'queueName', label: 'Queue' },
  { name: 'responseStatus', label: 'Status' },
];

const load = async (values: Filters, cursor: string | undefined, signal: AbortSignal) => {
  const query = { ...queryOf(values), count: 100, ...(cursor !== undefined && { cursor }) };
  const page = await ask(api.GET('/v2/dlq', { params: { query }, signal }));
  return { cursor: page.cursor, rows: page.messages };
};
type DeadLetter = Awaited<ReturnType<typeof load>>['rows'][number];

const columns: readonly Column<DeadLetter>[] = [
  {
    name: 'Destination',
    cell: ({ messageId, method, url }) => (
      <Link to="/messages/$id" params={{ id: messageId }} title={`${method} ${url}`}>
        {method !== 'POST' && <span className="mr-1.5 text-muted">{method}</span>}
        {url.replace(/^https?:\/\//, '')}
      </Link>
    ),
  },
  {
    name: 'Last answer',
    width: '32%',
    from: 'sm',
    cell: ({ responseStatus, responseBody }) => (
      <span className="text-bad" title={responseBody}>
        {responseStatus > 0 ? responseStatus : 'none'} {responseBody}
      </span>
    ),
  },
  { name: 'Label', width: '7rem', from: 'md', cell: ({ label }) => label },
  {
    name: 'Published',
    width: '7.5rem',
    from: 'sm',
    isRight: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  {
    name: 'Do',
    width: '10.5rem',
    isRight: true,
    cell: ({ dlqId, url }) => <RowActions dlqId={dlqId} url={url} />,
  },
];

const kinds = ['dlq', 'message'];

function RowActions({ dlqId: id, url }: { readonly dlqId: string; readonly url: string }) {
  const params = { path: { id } };
  const retry = useChange(() => ask(api.POST('/v2/dlq/retry/{id}', { params })), kinds);
  const remove = useChange(() => ask(api.DELETE('/v2/dlq/{id}', { params })), kinds);
  const isBusy = retry.isPending || remove.isPending;
  return (
    <span className="inline-flex gap-1 align-middle">
      <Action
        isSmall
        aria-label={`Retry ${url}`}
        disabled={isBusy}
        onClick={() => retry.mutate(undefined)}
      >
        Retry
      </Action>
      <Action
        isSmall
        aria-label={`Delete ${url}`}
        look="danger"
        disabled={isBusy}
        onClick={() => remove.mutate(undefined)}
      >
        Delete
      </Action>
      {(retry.error ?? remove.error) !== null && (
        <span title={(retry.error ?? remove.error)?.message} className="text-bad">
          !
        </span>
      )}
    </span>
  );
}

export default function DeadLettersPage() {
  const [values] = useFilters();
  const [verb, setVerb] = useState<BulkVerb | null>(null);
  const list = useRows(['dlq', values], (cursor, signal) => load(values, cursor, signal));
  const isEmpty = (list.rows?.length ?? 0) === 0;
  const icons = { retry: <RotateCcw className="size-4" />, delete: <Trash2 className="size-4" /> };
  return (
    <Page
      title="Dead letters"
      actions={
        <>
          <Action icon={icons.retry} disabled={isEmpty} onClick={() => setVerb('retry')}>
            Retry all…
          </Action>
          <Action
            look="danger"
            icon={icons.delete}
            disabled={isEmpty}
            onClick={() => setVerb('delete')}
          >
            Delete all…
          </Action>
        </>
      }
    >
      <Panel>
        <FilterBar filters={filters} />
        <RowStates
          list={list}
          isFiltered={Object.keys(values).length > 0}
          empty={
            <Empty title="No dead letters">
              A message that has failed for good, after its last retry, is kept here until it is
              retried, deleted, or too old.
            </Empty>
          }
        >
          {(rows) => (
            <RowTable
              label="Dead letters"
              columns={columns}
              rows={rows}
              keyOf={({ dlqId }) => dlqId}
              linkOf={({ messageId }) => `/messages/${messageId}`}
              more={list.more}
            />
          )}
        </RowStates>
      </Panel>
      {verb !== null && <BulkDialog verb={verb} filters={values} close={() => setVerb(null)} />}
    </Page>
  );
}
