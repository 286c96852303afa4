/** The list of messages, latest first. */
import { Link, useNavigate } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useRows } from '../api/rows.ts';
import { Action } from '../parts/button.tsx';
import { type Filter, FilterBar, useFilters } from '../parts/filter-bar.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { DestinationUrl, ShortId } from '../parts/shortened.tsx';
import { State } from '../parts/state-mark.tsx';
import { Empty, RowStates, useCurl } from '../parts/states.tsx';
import { noDraft, PublishDialog } from '../publish/publish-dialog.tsx';
import { SinkButton } from '../publish/sink-button.tsx';
import { Time } from '../time/time.tsx';
import { CancelMatching } from './cancel-matching.tsx';
import { Facets } from './facets.tsx';
import { eachOnce, type ListedMessage, loadMessages } from './message-rows.ts';
import { OutcomesPanel } from './outcomes.tsx';

const filters: readonly Filter[] = [
  { name: 'url', label: 'URL' },
  { name: 'contains', label: 'Contains' },
  { name: 'label', label: 'Label' },
  { name: 'queueName', label: 'Queue' },
  { name: 'flowControlKey', label: 'Flow-control key' },
];

const columns: readonly Column<ListedMessage>[] = [
  { name: 'State', width: '7.5rem', cell: ({ state }) => <State of={state} /> },
  {
    name: 'Destination',
    cell: ({ id, method, url }) => (
      <Link to="/messages/$id" params={{ id }} title={`${method} ${url}`}>
        {method !== 'POST' && <span className="mr-1.5 text-muted">{method}</span>}
        <DestinationUrl url={url} />
      </Link>
    ),
  },
  {
    name: 'Answer',
    width: '24%',
    from: 'lg',
    cell: ({ responseStatus = 0, error }) => (
      <span title={error} className={error === undefined ? '' : 'text-bad'}>
        {responseStatus > 0 ? `${responseStatus} ` : ''}
        {error ?? ''}
      </span>
    ),
  },
  { name: 'Label', width: '7rem', from: 'md', cell: ({ labels }) => labels },
  {
    name: 'Queue or key',
    width: '8rem',
    from: 'xl',
    cell: ({ queue, flowControlKey }) => queue ?? flowControlKey,
  },
  {
    name: 'Id',
    width: '7rem',
    from: 'lg',
    cell: ({ id }) => <ShortId id={id} />,
  },
  { name: 'When', width: '7.5rem', isRight: true, cell: ({ at }) => <Time at={at} /> },
];

export default function MessagesPage() {
  const [{ span: _, ...values }] = useFilters();
  const list = useRows(['message', values], (cursor, signal) =>
    loadMessages(values, cursor, signal),
  );
  const curl = useCurl();
  const { rows, query } = list;
  const isAsked = query.isFetched;
  const shown = useMemo(() => (rows === undefined ? undefined : eachOnce(rows)), [rows]);
  return (
    <Page
      title="Messages"
      actions={
        <>
          <CancelMatching filters={values} />
          <Publish />
        </>
      }
    >
      <OutcomesPanel isAsked={isAsked} />
      <Panel>
        <Facets isAsked={isAsked} />
        <FilterBar filters={filters} />
        <RowStates
          list={{ ...list, rows: shown }}
          isFiltered={Object.keys(values).length > 0}
          empty={
            <Empty
              title="No messages yet"
              command={curl('/v2/publish/https://example.com/', "-d 'hello'")}
              action={<FirstMessage />}
            >
              A message is a request that the server makes for you: signed, with retries, at least
              once. Publish one, and it appears here.
            </Empty>
          }
        >
          {(rows) => (
            <RowTable
              label="Messages"
              columns={columns}
              rows={rows}
              keyOf={({ id }) => id}
              linkOf={({ id }) => `/messages/${id}`}
              more={list.more}
            />
          )}
        </RowStates>
      </Panel>
    </Page>
  );
}

/** Leads to the page of the message, which shows what happens to it. */
function FirstMessage() {
  const navigate = useNavigate();
  return (
    <SinkButton
      sample="message"
      sent={({ messageId }) => navigate({ to: `/messages/${messageId}` })}
    />
  );
}

function Publish() {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  return (
    <>
      <Action look="main" icon={<Send className="size-4" />} onClick={() => setOpen(true)}>
        Publish
      </Action>
      {isOpen && (
        <PublishDialog
          draft={noDraft}
          close={() => setOpen(false)}
          published={(id) => {
            setOpen(false);
            navigate({ to: `/messages/${id}` });
          }}
        />
      )}
    </>
  );
}
