/** Cancels all pending messages that pass the filters, after saying how many these are. */
import { Ban } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Action, Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Dialog } from '../parts/dialog.tsx';
import type { Filters } from '../parts/filter-bar.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { count, exact } from '../time/format.ts';
import { usePendingCounts } from './facets.tsx';
import { isSearched, queryOf, stretchOf } from './message-filters.ts';

export function CancelMatching({ filters }: { readonly filters: Filters }) {
  const [isOpen, setOpen] = useState(false);
  const { state } = filters;
  // The server cancels by what was asked for at the publish, and not by how far a message has come.
  const why = isSearched(filters)
    ? 'a text is looked for in what was logged, and not in what is pending'
    : state !== undefined && state !== 'pending'
      ? 'choose all or pending: messages of one state alone cannot be canceled'
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
      {isOpen && <CancelDialog filters={filters} close={() => setOpen(false)} />}
    </>
  );
}

const words: Readonly<Record<string, string>> = {
  url: 'the URL is',
  label: 'a label is',
  queueName: 'the queue is',
  flowControlKey: 'the flow-control key is',
};

/** What the filters say, in words. */
function said(filters: Filters): readonly string[] {
  const { fromDate, toDate } = stretchOf(filters);
  return [
    ...Object.entries(filters).flatMap(([name, value]) =>
      words[name] === undefined || value === undefined ? [] : [`${words[name]} ${value}`],
    ),
    ...(fromDate === undefined ? [] : [`it was published at ${exact(fromDate)} or later`]),
    ...(toDate === undefined ? [] : [`it was published at ${exact(toDate)} or before`]),
  ];
}

function CancelDialog({
  filters,
  close,
}: {
  readonly filters: Filters;
  readonly close: () => void;
}) {
  const counts = usePendingCounts(filters);
  const cancel = useChange(
    () => ask(api.DELETE('/v2/messages', { params: { query: queryOf(filters) } })),
    ['message', 'facets'],
  );
  const conditions = said(filters);
  return (
    <Dialog title="Cancel all pending messages that match" close={close}>
      <p className="mb-3">
        {conditions.length === 0
          ? 'No filter is set: this concerns every message that is pending.'
          : `Those where ${conditions.join(', and ')}.`}{' '}
        Attempts in flight are not cut, and not repeated. What is canceled is not delivered any
        more.
      </p>
      {cancel.error !== null && <Failure error={cancel.error} />}
      <Loaded query={counts} lines={1}>
        {({ of, isCut }) => {
          const pending = of.get('pending') ?? 0;
          return (
            <>
              <p role="status" className="mb-3 font-medium">
                {cancel.data === undefined
                  ? `${count(pending)}${isCut ? ' or more' : ''} match now.`
                  : `${count(cancel.data.cancelled)} canceled.`}
              </p>
              <div className="flex gap-2">
                <Action
                  look="danger"
                  disabled={cancel.isPending || cancel.isSuccess || pending === 0}
                  onClick={() => cancel.mutate(undefined)}
                >
                  Cancel {isCut ? 'all of them' : count(pending)}
                </Action>
                <Button onClick={close}>Close</Button>
              </div>
            </>
          );
        }}
      </Loaded>
    </Dialog>
  );
}
