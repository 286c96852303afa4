/** All dead letters that pass the filters, done a page at a time, until it is stopped. */
import { useEffect, useRef, useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Action, Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Dialog } from '../parts/dialog.tsx';
import type { Filters } from '../parts/filter-bar.tsx';
import { Failure } from '../parts/states.tsx';
import { count } from '../time/format.ts';
import { conditionsOf, kindOf, messageQuery, runQuery } from './dead-letter-filters.ts';
import { changedKinds, type LetterVerb, meaningOf, wordOf } from './letters.ts';

/** So many at a time; the server lets other requests go first in between. */
const pageSize = 100;

interface BulkPage {
  readonly done: number;
  readonly cursor: string | undefined;
}

async function bulkPage(verb: LetterVerb, filters: Filters, cursor?: string): Promise<BulkPage> {
  const page = { count: pageSize, ...(cursor !== undefined && { cursor }) };
  const params = { query: { ...runQuery(filters), ...page } };
  if (kindOf(filters) === 'messages') return messagesPage(verb, filters, page);
  if (verb === 'delete') {
    const answer = await ask(api.DELETE('/v2/workflows/dlq', { params }));
    return { done: answer.deleted, cursor: answer.cursor };
  }
  const answer =
    verb === 'resume'
      ? await ask(api.POST('/v2/workflows/dlq/resume', { params }))
      : await ask(api.POST('/v2/workflows/dlq/restart', { params }));
  return { done: answer.workflowRuns.length, cursor: answer.cursor };
}

async function messagesPage(
  verb: LetterVerb,
  filters: Filters,
  page: { count: number; cursor?: string },
): Promise<BulkPage> {
  const params = { query: { ...messageQuery(filters), ...page } };
  if (verb === 'delete') {
    const answer = await ask(api.DELETE('/v2/dlq', { params }));
    return { done: answer.deleted, cursor: answer.cursor };
  }
  const answer = await ask(api.POST('/v2/dlq/retry', { params }));
  return { done: answer.responses.length, cursor: answer.cursor };
}

export function BulkDialog({
  verb,
  filters,
  close,
}: {
  readonly verb: LetterVerb;
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
  const change = useChange(run, changedKinds);
  const conditions = conditionsOf(filters);
  return (
    <Dialog title={`${wordOf[verb]} all dead letters that match`} close={close}>
      <p className="mb-3">
        {conditions.length === 0
          ? 'No filter is set: this concerns every one there is.'
          : `Those where ${conditions.join(' and ')}.`}{' '}
        {meaningOf[verb]}
      </p>
      {change.error !== null && <Failure error={change.error} />}
      <p role="status" className="mb-3 text-muted">
        {done > 0 && `${count(done)} done`}
        {change.isSuccess && (done === 0 ? 'There was none.' : ': all that there were.')}
      </p>
      <div className="flex gap-2">
        <Action
          look={verb === 'delete' ? 'danger' : 'main'}
          disabled={change.isPending || change.isSuccess}
          onClick={() => change.mutate(undefined)}
        >
          {wordOf[verb]} all
        </Action>
        <Button onClick={close}>{change.isPending ? 'Stop' : 'Close'}</Button>
      </div>
    </Dialog>
  );
}
