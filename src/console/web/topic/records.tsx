/** A topic's records: from a chosen position, filtered by key or text, and new ones live. */
import { Pause, Play } from 'lucide-react';
import { useState } from 'react';
import { Body } from '../bodies/body.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { type Filter, FilterBar, useFilters } from '../parts/filter-bar.tsx';
import { Panel } from '../parts/page.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { count, exact } from '../time/format.ts';
import { LogTime } from '../time/time.tsx';
import type { TailRecord } from './newest-records.ts';
import { useTail } from './tail.ts';
import { topicCurl } from './topic-curl.ts';

const filters: readonly Filter[] = [
  { name: 'key', label: 'Key' },
  { name: 'contains', label: 'Value contains' },
  { name: 'from', label: 'From: newest-50' },
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
          {record.value?.slice(0, shownMax) ?? <span className="text-muted">tombstone</span>}
        </button>
      ),
    },
  ];
}

export function Records({ topic }: { readonly topic: string }) {
  const [values] = useFilters();
  const [isHeld, setHeld] = useState(false);
  const [record, setRecord] = useState<TailRecord | null>(null);
  const { records, seen, perSecond, error } = useTail(topic, values, isHeld);
  return (
    <Panel
      title="Records"
      aside={
        <span className="flex items-center gap-3">
          <span data-rate={perSecond} data-seen={seen}>
            {count(seen)} seen, {count(perSecond)}/s
          </span>
          <Button
            icon={isHeld ? <Play className="size-4" /> : <Pause className="size-4" />}
            onClick={() => setHeld(!isHeld)}
          >
            {isHeld ? 'Follow' : 'Hold'}
          </Button>
        </span>
      }
    >
      <FilterBar filters={filters} />
      {error !== null && <Failure error={error} />}
      {records.length === 0 && error === null && (
        <Empty
          title="No records from this place on"
          command={topicCurl(`/produce/${topic}`, `-d '{"key":"7","value":"hello"}'`)}
        >
          The stream is open: new records appear at once.
        </Empty>
      )}
      {records.length > 0 && (
        <RowTable
          label="Records"
          columns={columnsOf(setRecord)}
          rows={records}
          keyOf={({ partition, offset }) => `${partition}:${offset}`}
        />
      )}
      {record !== null && <RecordDialog record={record} close={() => setRecord(null)} />}
    </Panel>
  );
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
      {value === null ? (
        <p className="text-muted">A tombstone: the record has no value.</p>
      ) : (
        <Body text={value} />
      )}
    </Dialog>
  );
}
