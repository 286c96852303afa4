/** The list of topics: how large they are, and how long their records are kept. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Action } from '../parts/button.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { bytes, count, duration } from '../time/format.ts';
import { Time } from '../time/time.tsx';
import { topicCurl } from '../topic/topic-curl.ts';
import { CreateTopicDialog } from './create-topic-dialog.tsx';

type Topic = Awaited<ReturnType<typeof loadTopics>>[number];
const loadTopics = () => ask(api.GET('/admin/topics'));

/** How long records are kept, in words. */
function kept({ cleanupPolicy, retentionMs, retentionBytes }: Topic): string {
  if (cleanupPolicy === 'compact') return 'last of each key';
  const limits = [
    ...(retentionMs < 0 ? [] : [duration(retentionMs)]),
    ...(retentionBytes < 0 ? [] : [bytes(retentionBytes)]),
  ];
  return limits.length === 0 ? 'for ever' : limits.join(' or ');
}

const columns: readonly Column<Topic>[] = [
  {
    name: 'Topic',
    cell: ({ name }) => (
      <Link to="/topics/$id" params={{ id: name }} className="hover:underline">
        {name}
      </Link>
    ),
  },
  { name: 'Partitions', width: '6rem', isRight: true, cell: ({ partitions }) => count(partitions) },
  { name: 'Size', width: '6rem', isRight: true, cell: (topic) => bytes(topic.bytes ?? 0) },
  { name: 'Retention', width: '12rem', isRight: true, from: 'md', cell: kept },
  {
    name: 'Created',
    width: '7rem',
    isRight: true,
    from: 'sm',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
];

export default function TopicsPage() {
  const query = useQuery({ queryKey: ['topic'], queryFn: loadTopics });
  const [isOpen, setOpen] = useState(false);
  return (
    <Page
      title="Topics"
      actions={
        <Action
          needs="admin"
          look="main"
          icon={<Plus className="size-4" />}
          onClick={() => setOpen(true)}
        >
          Create…
        </Action>
      }
    >
      <Panel>
        <Loaded query={query}>
          {(topics) =>
            topics.length === 0 ? (
              <Empty
                title="No topics yet"
                command={topicCurl('/produce/rides', `-d '{"key":"7","value":"hello"}'`)}
              >
                A topic is a log of records in partitions, which groups read at their own pace.
                Produce a record, and its topic appears here.
              </Empty>
            ) : (
              <RowTable
                label="Topics"
                columns={columns}
                rows={topics}
                keyOf={({ name }) => name}
                linkOf={({ name }) => `/topics/${encodeURIComponent(name)}`}
              />
            )
          }
        </Loaded>
      </Panel>
      {isOpen && <CreateTopicDialog close={() => setOpen(false)} />}
    </Page>
  );
}
