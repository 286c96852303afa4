/** Cancels all pending messages that match the filters, after showing how many there are. */
import { Ban } from 'lucide-react';
import { useState } from 'react';
import { JobDialog } from '../jobs/job-dialog.tsx';
import { Action } from '../parts/button.tsx';
import type { ChosenFilters } from '../parts/filter-bar.tsx';
import { lookOf } from '../parts/state-mark.tsx';
import { exact } from '../time/format.ts';
import { isEnd, isPending, isSearched, queryOf, stretchOf } from './message-filters.ts';

export function CancelMatching({ filters }: { readonly filters: ChosenFilters }) {
  const [isOpen, setOpen] = useState(false);
  const { state } = filters;
  const why = isSearched(filters)
    ? 'a text filter searches the logs, not pending messages'
    : isEnd(state)
      ? 'an ended run or message cannot be canceled'
      : undefined;
  return (
    <>
      <Action
        icon={<Ban className="size-4" />}
        look="danger"
        disabled={why !== undefined}
        title={why}
        onClick={() => setOpen(true)}
      >
        Cancel all…
      </Action>
      {isOpen && (
        <JobDialog
          work={{
            verb: 'cancel',
            over: 'messages',
            filter: { ...queryOf(filters), ...(isPending(state) && { state: [state] }) },
          }}
          means={`${whichOf(filters)} Attempts in flight are not cut, and not repeated.`}
          kinds={['message', 'facets']}
          close={() => setOpen(false)}
        />
      )}
    </>
  );
}

const words: Readonly<Record<string, string>> = {
  url: 'the URL is',
  label: 'a label is',
  queueName: 'the queue is',
  flowControlKey: 'the flow-control key is',
};

/** The filters in words. */
function whichOf(filters: ChosenFilters): string {
  const { fromDate, toDate } = stretchOf(filters);
  const conditions = [
    ...Object.entries(filters).flatMap(([name, value]) =>
      words[name] === undefined || value === undefined ? [] : [`${words[name]} ${value}`],
    ),
    ...(isPending(filters['state']) ? [`it is ${lookOf(filters['state']).word}`] : []),
    ...(fromDate === undefined ? [] : [`it was published at ${exact(fromDate)} or later`]),
    ...(toDate === undefined ? [] : [`it was published at ${exact(toDate)} or before`]),
  ];
  return conditions.length === 0
    ? 'No filter is set: this applies to all pending messages.'
    : `Those where ${conditions.join(', and ')}.`;
}
