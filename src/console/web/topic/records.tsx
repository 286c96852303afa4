/**
 * A topic's records, filtered by key or text: the newest ones and new ones live, or page by page
 * from a chosen position.
 */
import { Pause, Play } from 'lucide-react';
import { useState } from 'react';
import { Body } from '../bodies/body.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { type Filter, FilterBar, useFilters } from '../parts/filter-bar.tsx';
import { Panel } from '../parts/page.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { Empty, Failure, Skeleton } from '../parts/states.tsx';
import { count, exact } from '../time/format.ts';
import { LogTime } from '../time/time.tsx';
import { recordsMax, type TailRecord } from './kept-records.ts';
import { useTail } from './tail.ts';
import { topicCurl } from './topic-curl.ts';

const filters: readonly Filter[] = [
  { name: 'key', label: 'Key' },
  { name: 'contains', label: 'Value contains' },
  {
    name: 'from',
    label: 'From: newest-50, earliest, an offset, a time',
    hint: 'newest-50, earliest, an offset as 1200, or a time as 2026-11-20T04:05Z or in Unix ms',
    isLong: true,
  },
  { name: 'partition', label: 'Partition' },
];

/** How many characters of a key or a value are drawn: one line has no more. */
const shownMax = 300;

function columnsOf(open: (record: TailRecord) => void): readonly Column<TailRecord>[] {
  return [
    {
      name: 'Offset',
      width: '8rem',
      cell: ({ partition, offset }) => (
        <span className="font-mono text-xs">
          {partition}:{offset}
        </span>
      ),
    },
    {
      name: 'Time',
      width: '8rem',
      cell: ({ timestamp }) => <LogTime at={timestamp} />,
    },
    { name: 'Key', width: '9rem', from: 'sm', cell: ({ key }) => key.slice(0, shownMax) },
    {
      name: 'Value',
      cell: (record) => (
        <button
          type="button"
          onClick={() => open(record)}
          className="max-w-full truncate text-left font-mono text-xs hover:underline"
        >
          <Value value={record.value} />
        </button>
      ),
    },
  ];
}

export function Records({ topic }: { readonly topic: string }) {
  const [values] = useFilters();
  const [isHeld, setHeld] = useState(false);
  const [record, setRecord] = useState<TailRecord | null>(null);
  const tail = useTail(topic, values, isHeld);
  const { records, isOpen, isFull, seen, perSecond, error, next } = tail;
  return (
    <Panel
      title="Records"
      aside={
        <span className="flex items-center gap-3">
          <span data-rate={perSecond} data-seen={seen}>
            {count(seen)} seen{isFull ? '' : `, ${count(perSecond)}/s`}
          </span>
          {!isFull && (
            <Button
              icon={isHeld ? <Play className="size-4" /> : <Pause className="size-4" />}
              onClick={() => setHeld(!isHeld)}
            >
              {isHeld ? 'Follow' : 'Hold'}
            </Button>
          )}
        </span>
      }
    >
      <FilterBar filters={filters} />
      {error !== null && <Failure error={error} />}
      {records.length === 0 && error === null && <None {...{ topic, isHeld, isOpen }} />}
      {isFull && <Next next={next} />}
      {records.length > 0 && (
        <RowTable
          label="Records"
          columns={columnsOf(setRecord)}
          rows={records}
          keyOf={({ partition, offset }) => `${partition}:${offset}`}
        />
      )}
      {isFull && <Next next={next} />}
      {record !== null && <RecordDialog record={record} close={() => setRecord(null)} />}
    </Panel>
  );
}

/** Says why there are no records. */
function None({
  topic,
  isHeld,
  isOpen,
}: {
  readonly topic: string;
  readonly isHeld: boolean;
  readonly isOpen: boolean;
}) {
  if (!isHeld && !isOpen) return <Skeleton lines={3} />;
  return (
    <Empty
      title={isHeld ? 'No records are requested' : 'No records from this place on'}
      command={topicCurl(`/produce/${topic}`, `-d '{"key":"7","value":"hello"}'`)}
    >
      {isHeld
        ? 'The stream is held: Follow opens it again.'
        : 'The stream is open: new records appear at once.'}
    </Empty>
  );
}

/** Above and below a full page of records. */
function Next({ next }: { readonly next: () => void }) {
  return (
    <p className="flex flex-wrap items-center gap-3 border-line p-3 text-muted not-last:border-b">
      There may be more: these are the first ones from this place on.
      <Button onClick={next}>Next {count(recordsMax)}</Button>
    </p>
  );
}

/** A record's value in one line. */
function Value({ value }: { readonly value: string | null }) {
  if (value === null) return <span className="text-muted">tombstone</span>;
  if (value === '') return <span className="text-muted">empty</span>;
  return value.slice(0, shownMax);
}

function RecordDialog({
  record: { partition, offset, timestamp, key, value, headers },
  close,
}: {
  readonly record: TailRecord;
  readonly close: () => void;
}) {
  return (
    <Dialog title={`Record ${partition}:${offset}`} close={close}>
      <Facts
        of={[
          ['Time', exact(timestamp)],
          ['Key', key === '' ? undefined : key],
          ...headers.map((header): [string, string] => [header.key, header.value]),
        ]}
      />
      {value === null && <p className="text-muted">A tombstone: the record has no value.</p>}
      {value === '' && <p className="text-muted">The value is empty.</p>}
      {value !== null && value !== '' && <Body text={value} />}
    </Dialog>
  );
}
