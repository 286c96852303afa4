/** The groups that read a topic: how far behind they are, and where they continue. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Action } from '../parts/button.tsx';
import { Panel } from '../parts/page.tsx';
import { State } from '../parts/state-mark.tsx';
import { count } from '../time/format.ts';
import { SeekDialog } from './seek-dialog.tsx';

/** How many groups are examined: only the object of a group names its topics. */
const groupsMax = 50;

/** The groups that read the topic, and how many groups were not examined. */
async function loadGroups(topic: string) {
  const groups = await ask(api.GET('/admin/groups'));
  const details = groups.slice(0, groupsMax).map(({ name: group }) => {
    const path = { group };
    return ask(api.GET('/admin/groups/{group}', { params: { path } })).catch(() => null);
  });
  const readers = (await Promise.all(details)).flatMap((group) => {
    const partitions = group?.partitions.filter((each) => each.topic === topic) ?? [];
    return group === null || partitions.length === 0 ? [] : [{ ...group, partitions }];
  });
  return { readers, others: Math.max(0, groups.length - groupsMax) };
}

const nothing: Awaited<ReturnType<typeof loadGroups>> = { readers: [], others: 0 };

export function GroupsPanel({ topic }: { readonly topic: string }) {
  const [seeking, setSeeking] = useState<string | null>(null);
  const { data: { readers, others } = nothing } = useQuery({
    queryKey: ['topic', topic, 'groups'],
    queryFn: () => loadGroups(topic),
    // Records are not events, so the live stream does not report them.
    refetchInterval: 5000,
  });
  if (readers.length === 0 && others === 0) return null;
  return (
    <Panel title="Groups" aside={readers.length}>
      {readers.map(({ name, memberCount, partitions }) => (
        <div
          key={name}
          className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-3 py-2 last:border-0"
        >
          <State
            of={memberCount > 0 ? 'ON' : 'CREATED'}
            word={memberCount > 0 ? `${count(memberCount)} reading` : 'no members'}
          />
          <span
            title={name}
            className="min-w-0 flex-1 truncate font-medium max-sm:order-first max-sm:basis-full"
          >
            {name}
          </span>
          <span
            title={partitions.map(({ partition, lag }) => `${partition}: ${lag ?? '–'}`).join(', ')}
          >
            {count(partitions.reduce((sum, { lag }) => sum + (lag ?? 0), 0))} behind
          </span>
          <Action
            needs="admin"
            disabled={memberCount > 0}
            title={
              memberCount > 0 ? 'The offsets of a group with members cannot be moved' : undefined
            }
            onClick={() => setSeeking(name)}
          >
            Seek…
          </Action>
        </div>
      ))}
      {others > 0 && (
        <p className="border-t border-line px-3 py-2 text-muted">
          Of the {count(groupsMax + others)} groups of this server, {count(others)} were not
          examined.
        </p>
      )}
      {seeking !== null && (
        <SeekDialog group={seeking} topic={topic} close={() => setSeeking(null)} />
      )}
    </Panel>
  );
}
