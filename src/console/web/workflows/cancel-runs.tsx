/** Cancels all active runs that match the filters, after showing how many there are. */
import { CircleSlash } from 'lucide-react';
import { useState } from 'react';
import { JobDialog } from '../jobs/job-dialog.tsx';
import { Action } from '../parts/button.tsx';
import type { ChosenFilters } from '../parts/filter-bar.tsx';
import { typedUrls } from '../parts/filters/typed-urls.ts';

export function CancelRuns({ filters }: { readonly filters: ChosenFilters }) {
  const [isOpen, setOpen] = useState(false);
  const { state, url, label, id } = filters;
  const hasEnded = state !== undefined && state !== 'RUN_STARTED';
  const filter = {
    ...(url !== undefined && { workflowUrl: typedUrls(url), workflowUrlExactMatch: ['true'] }),
    ...(label !== undefined && { label: [label] }),
    ...(id !== undefined && { workflowRunIds: [id] }),
  };
  const conditions = [
    ...(url === undefined ? [] : [`the URL is ${url}`]),
    ...(label === undefined ? [] : [`a label is ${label}`]),
    ...(id === undefined ? [] : [`the id is ${id}`]),
  ];
  const which =
    conditions.length === 0
      ? 'No filter is set: this applies to all active runs.'
      : `Those where ${conditions.join(', and ')}.`;
  return (
    <>
      <Action
        look="danger"
        icon={<CircleSlash className="size-4" />}
        disabled={hasEnded}
        title={hasEnded ? 'an ended run or message cannot be canceled' : undefined}
        onClick={() => setOpen(true)}
      >
        Cancel all…
      </Action>
      {isOpen && (
        <JobDialog
          work={{ verb: 'cancel', over: 'runs', filter }}
          means={`${which} Steps that were finished stay; no failure function is called.`}
          kinds={['run']}
          close={() => setOpen(false)}
        />
      )}
    </>
  );
}
