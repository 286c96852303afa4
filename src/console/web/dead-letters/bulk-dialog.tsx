/** All dead letters that pass the filters, retried or deleted a page at a time, until stopped. */
import { useEffect, useRef, useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Action, Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Dialog } from '../parts/dialog.tsx';
import type { Filters } from '../parts/filter-bar.tsx';
import { Failure } from '../parts/states.tsx';
import { count } from '../time/format.ts';
import { queryOf } from './dead-letter-filters.ts';

export type BulkVerb = 'retry' | 'delete';

/** So many at a time; the server lets other requests go first in between. */
const pageSize = 100;

interface BulkPage {
  readonly done: number;
  readonly cursor: string | undefined;
}

async function bulkPage(verb: BulkVerb, filters: Filters, cursor?: string): Promise<BulkPage> {
  const query = {
    ...queryOf(filters),
    count: pageSize,
    ...(cursor !== undefined && { cursor }),
  };
  if (verb === 'retry') {
    const page = await ask(api.POST('/v2/dlq/retry', { params: { query } }));
    return { done: page.responses.length, cursor: page.cursor };
  }
  const page = await ask(api.DELETE('/v2/dlq', { params: { query } }));
  return { done: page.deleted, cursor: page.cursor };
}

export function BulkDialog({
  verb,
  filters,
  close,
}: {
  readonly verb: BulkVerb;
  readonly filters: Filters;
  readonly close: () => void;
}) {
  const [done, setDone] = useState(0);
  const isStopped = useRef(false);
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );
  const run = async () => {
    let cursor: string | undefined;
    isStopped.current = false;
    do {
      const page = await bulkPage(verb, filters, cursor);
      cursor = page.cursor;
      setDone((before) => before + page.done);
    } while (cursor !== undefined && !isStopped.current);
  };
  const change = useChange(run, ['dlq', 'message']);
  const word = verb === 'retry' ? 'Retry' : 'Delete';
  const said = Object.entries(filters).map(([name, value]) => `${name} is ${value}`);
  return (
    <Dialog title={`${word} all dead letters that match`} close={close}>
      <p className="mb-3">
        {said.length === 0
          ? 'No filter is set: this concerns every dead letter there is.'
          : `Those where ${said.join(' and ')}.`}{' '}
        {verb === 'retry'
          ? 'Each becomes a new message.'
          : 'What is deleted cannot be retried any more.'}
      </p>
      {change.error !== null && <Failure error={change.error} />}
      <p role="status" className="mb-3 text-muted">
        {done > 0 && `${count(done)} done`}
        {change.isSuccess && (done === 0 ? 'There was none.' : ': all that there were.')}
      </p>
      <div className="flex gap-2">
        <Action
          look={verb === 'retry' ? 'main' : 'danger'}
          disabled={change.isPending || change.isSuccess}
          onClick={() => change.mutate(undefined)}
        >
          {word} all
        </Action>
        <Button onClick={close}>{change.isPending ? 'Stop' : 'Close'}</Button>
      </div>
    </Dialog>
  );
}
