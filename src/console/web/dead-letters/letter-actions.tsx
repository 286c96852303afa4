/** Actions on one dead letter, on the selected ones, or on all; and the export to a file. */
import { Download, RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { DangerAction } from '../asking/danger-action.tsx';
import { JobDialog } from '../jobs/job-dialog.tsx';
import { Action, Button } from '../parts/button.tsx';
import { useChange, useRowChange } from '../parts/change.ts';
import { type ChosenFilters, useFilters } from '../parts/filter-bar.tsx';
import { Failure } from '../parts/states.tsx';
import { count } from '../time/format.ts';
import { conditionsOf, filterOf, kindOf, type LetterKind } from './dead-letter-filters.ts';
import { type Exported, exportLetters } from './export.ts';
import {
  apply,
  changedKinds,
  type Letter,
  type LetterVerb,
  meaningOf,
  verbsOf,
  wordOf,
} from './letters.ts';

const iconOf = (verb: LetterVerb) =>
  verb === 'delete' ? <Trash2 className="size-4" /> : <RotateCcw className="size-4" />;
const lookOf = (verb: LetterVerb) => (verb === 'delete' ? 'danger' : 'plain');

/** What is done without a question: nothing is lost by it. */
const mildVerbsOf = (kind: LetterKind) => verbsOf[kind].filter((verb) => verb !== 'delete');

/** Only a deletion asks first. */
export function RowActions({
  letter,
  kind,
}: {
  readonly letter: Letter;
  readonly kind: LetterKind;
}) {
  const change = useRowChange(
    (verb: LetterVerb) => apply(kind, verb, [letter.dlqId]),
    changedKinds,
  );
  return (
    <span className="inline-flex gap-1 align-middle">
      {mildVerbsOf(kind).map((verb) => (
        <Action
          key={verb}
          isSmall
          aria-label={`${wordOf[verb]} ${letter.url}`}
          disabled={change.isPending}
          onClick={() => change.mutate(verb)}
        >
          {wordOf[verb]}
        </Action>
      ))}
      <DangerAction
        isSmall
        aria-label={`Delete ${letter.url}`}
        question={`Delete the dead letter of ${letter.url}?`}
        means={meaningOf.delete}
        confirm="Delete"
        act={() => apply(kind, 'delete', [letter.dlqId])}
        kinds={changedKinds}
      >
        Delete…
      </DangerAction>
    </span>
  );
}

/** Shown above the list while letters are selected. */
export function ChosenActions({
  ids,
  kind,
  clear,
}: {
  readonly ids: readonly string[];
  readonly kind: LetterKind;
  readonly clear: () => void;
}) {
  const change = useChange((verb: LetterVerb) => apply(kind, verb, ids), changedKinds, clear);
  if (ids.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-raised px-3 py-2">
      <span className="mr-1 font-medium">{count(ids.length)} chosen</span>
      {mildVerbsOf(kind).map((verb) => (
        <Action key={verb} isSmall disabled={change.isPending} onClick={() => change.mutate(verb)}>
          {wordOf[verb]} chosen
        </Action>
      ))}
      <DangerAction
        isSmall
        question={
          ids.length === 1
            ? 'Delete the chosen dead letter?'
            : `Delete ${count(ids.length)} chosen dead letters?`
        }
        means={meaningOf.delete}
        confirm="Delete"
        act={() => apply(kind, 'delete', ids)}
        kinds={changedKinds}
        done={clear}
      >
        Delete chosen…
      </DangerAction>
      <Button isSmall onClick={clear}>
        Choose none
      </Button>
      {change.error !== null && <Failure error={change.error} />}
    </div>
  );
}

/**
 * Actions on all letters that match the filters, by a job; its dialog first shows how many match.
 */
export function PageActions({ isEmpty }: { readonly isEmpty: boolean }) {
  const [filters] = useFilters();
  const [verb, setVerb] = useState<LetterVerb | null>(null);
  return (
    <>
      <Export filters={filters} isEmpty={isEmpty} />
      {verbsOf[kindOf(filters)].map((each) => (
        <Action
          key={each}
          look={lookOf(each)}
          icon={iconOf(each)}
          disabled={isEmpty}
          onClick={() => setVerb(each)}
        >
          {wordOf[each]} all…
        </Action>
      ))}
      {verb !== null && (
        <JobDialog
          work={{
            verb,
            over: kindOf(filters) === 'runs' ? 'failedRuns' : 'deadLetters',
            filter: filterOf(filters),
          }}
          means={`${whichOf(filters)} ${meaningOf[verb]}`}
          kinds={changedKinds}
          close={() => setVerb(null)}
        />
      )}
    </>
  );
}

function whichOf(filters: ChosenFilters): string {
  const conditions = conditionsOf(filters);
  return conditions.length === 0
    ? 'No filter is set: this applies to all of them.'
    : `Those where ${conditions.join(' and ')}.`;
}

function wordsOf({ letters, isCut, isDamaged }: Exported): string {
  const lacks = isDamaged ? '; it lacks damaged ones' : '';
  return `Exported ${count(letters)}${isCut ? '; there are more' : ''}${lacks}`;
}

function Export({
  filters,
  isEmpty,
}: {
  readonly filters: ChosenFilters;
  readonly isEmpty: boolean;
}) {
  const [done, setDone] = useState(0);
  const change = useChange(() => exportLetters(filters, setDone), []);
  const said = change.isPending
    ? `${count(done)}…`
    : change.data === undefined
      ? 'Export'
      : wordsOf(change.data);
  return (
    <Button
      icon={<Download className="size-4" />}
      disabled={isEmpty || change.isPending}
      title={change.error?.message ?? 'all that match, as a file with one JSON object per line'}
      onClick={() => change.mutate(undefined)}
    >
      {change.error === null ? said : 'Export failed'}
    </Button>
  );
}
