/** Messages and runs that have failed for good: shows why, and lets people retry or delete them. */

import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useRows } from '../api/rows.ts';
import { type Filter, FilterBar, useFilters } from '../parts/filter-bar.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Pill } from '../parts/pill.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { DestinationUrl } from '../parts/shortened.tsx';
import { Empty, RowStates } from '../parts/states.tsx';
import { SinkButton } from '../publish/sink-button.tsx';
import { Time } from '../time/time.tsx';
import { kindOf, type LetterKind } from './dead-letter-filters.ts';
import { LetterGroupsPanel } from './groups.tsx';
import { ChosenActions, PageActions, RowActions } from './letter-actions.tsx';
import { type Letter, loadLetters } from './letters.ts';

const runFilters: readonly Filter[] = [
  { name: 'url', label: 'URL' },
  { name: 'label', label: 'Label' },
  { name: 'flowControlKey', label: 'Flow-control key' },
  { name: 'responseStatus', label: 'Status' },
];
const messageFilters: readonly Filter[] = [
  ...runFilters,
  { name: 'host', label: 'Host' },
  { name: 'error', label: 'Error' },
  { name: 'queueName', label: 'Queue' },
];

function columnsOf(
  kind: LetterKind,
  chosen: ReadonlySet<string>,
  choose: (letter: Letter) => void,
): readonly Column<Letter>[] {
  return [
    {
      name: 'Pick',
      width: '3.5rem',
      cell: (letter) => (
        <input
          type="checkbox"
          aria-label={`Choose ${letter.dlqId}`}
          checked={chosen.has(letter.dlqId)}
          onChange={() => choose(letter)}
          className="size-4 align-middle accent-accent-fill"
        />
      ),
    },
    {
      name: 'Destination',
      cell: ({ page, method, url }) => (
        <Link to={page} title={`${method} ${url}`}>
          {method !== 'POST' && <span className="mr-1.5 text-muted">{method}</span>}
          <DestinationUrl url={url} />
        </Link>
      ),
    },
    {
      name: 'Last answer',
      width: '28%',
      from: 'sm',
      cell: ({ responseStatus, answer }) => (
        <span className="text-bad" title={answer}>
          {responseStatus > 0 ? `${responseStatus} ` : ''}
          {answer}
        </span>
      ),
    },
    { name: 'Label', width: '7rem', from: 'lg', cell: ({ labels }) => labels },
    {
      name: 'Failed',
      width: '7rem',
      from: 'sm',
      isRight: true,
      cell: ({ at }) => <Time at={at} />,
    },
    {
      name: 'Actions',
      width: kind === 'runs' ? '16rem' : '10.5rem',
      isRight: true,
      from: 'sm',
      cell: (letter) => <RowActions letter={letter} kind={kind} />,
    },
  ];
}

/** The selected ids, as far as their letters still exist. */
function useChosen(rows: readonly Letter[] | undefined) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const chosen = useMemo(
    () => new Set(rows?.flatMap(({ dlqId }) => (ids.has(dlqId) ? dlqId : []))),
    [rows, ids],
  );
  const choose = ({ dlqId }: Letter) => {
    const others = [...chosen].filter((each) => each !== dlqId);
    setIds(new Set(chosen.has(dlqId) ? others : [...others, dlqId]));
  };
  return { chosen, choose, clear: () => setIds(new Set()) };
}

export default function DeadLettersPage() {
  const [filters, change] = useFilters();
  const kind = kindOf(filters);
  const list = useRows(['dlq', kind, filters], (cursor, signal) =>
    loadLetters(filters, cursor, signal),
  );
  // The rows of previous filters are no answer to these.
  const { chosen, choose, clear } = useChosen(list.query.isPlaceholderData ? [] : list.rows);
  const isEmpty = (list.rows?.length ?? 0) === 0;
  const { of: _, ...others } = filters;
  return (
    <Page title="Dead letters" actions={<PageActions isEmpty={isEmpty} />}>
      {kind === 'messages' && <LetterGroupsPanel />}
      <Panel>
        <fieldset className="flex gap-1 border-b border-line p-2">
          <legend className="sr-only">What has failed</legend>
          <Pill isChosen={kind === 'messages'} press={() => change({ of: undefined })}>
            messages
          </Pill>
          <Pill
            isChosen={kind === 'runs'}
            press={() => change({ of: 'runs', host: undefined, queueName: undefined })}
          >
            workflow runs
          </Pill>
        </fieldset>
        <FilterBar filters={kind === 'runs' ? runFilters : messageFilters} />
        <ChosenActions ids={[...chosen]} kind={kind} clear={clear} />
        <RowStates
          list={list}
          isFiltered={Object.keys(others).length > 0}
          empty={
            <Empty
              title={kind === 'runs' ? 'No failed runs' : 'No dead letters'}
              action={kind === 'messages' && <SinkButton sample="failing" />}
            >
              Messages that have failed for good are kept here until they are retried, deleted, or
              too old.
            </Empty>
          }
        >
          {(rows) => (
            <RowTable
              label="Dead letters"
              columns={columnsOf(kind, chosen, choose)}
              rows={rows}
              keyOf={({ dlqId }) => dlqId}
              linkOf={({ page }) => page}
              more={list.more}
            />
          )}
        </RowStates>
      </Panel>
    </Page>
  );
}
