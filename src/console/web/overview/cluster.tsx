/** The nodes of a cluster: which one serves, and how far behind its followers are. */
import { Panel } from '../parts/page.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { State } from '../parts/state-mark.tsx';
import { count, duration } from '../time/format.ts';
import type { LoadedOverview } from './load-overview.ts';

type ClusterStatus = NonNullable<LoadedOverview['cluster']>;

interface NodeRow {
  readonly node: string;
  /** A state of `state-mark.tsx`, and its word. */
  readonly state: string;
  readonly word: string;
  readonly version: string;
  readonly behind: string;
  readonly heard: string;
}

/** A node reports its place every 5 s. */
const silentMs = 15_000;

const columns: readonly Column<NodeRow>[] = [
  { name: 'Node', cell: ({ node }) => node },
  { name: 'State', width: '9rem', cell: ({ state, word }) => <State of={state} word={word} /> },
  { name: 'Version', width: '8rem', from: 'sm', cell: ({ version }) => version },
  { name: 'Behind', width: '8rem', isRight: true, cell: ({ behind }) => behind },
  { name: 'Heard', width: '8rem', isRight: true, from: 'sm', cell: ({ heard }) => heard },
];

export function ClusterPanel({ cluster }: { readonly cluster: ClusterStatus }) {
  const { epoch, commitMs, clockSkewMs } = cluster;
  const notes = [
    `epoch ${count(epoch)}`,
    commitMs === null ? null : `a commit takes ${duration(commitMs)}`,
    clockSkewMs === null ? null : `clock ${aside(clockSkewMs)}`,
  ];
  return (
    <Panel title="Cluster" aside={notes.filter((note) => note !== null).join(' · ')}>
      <RowTable
        label="Nodes of the cluster"
        columns={columns}
        rows={rowsOf(cluster)}
        keyOf={({ node }) => node}
      />
    </Panel>
  );
}

function rowsOf({ node, version, role, followers }: ClusterStatus): readonly NodeRow[] {
  const own = { node, state: 'ON', word: role, version, behind: '–', heard: 'answers here' };
  const others = (followers ?? []).map(({ node, version, behind, heardMsAgo }) => {
    const isSilent = heardMsAgo > silentMs;
    return {
      node,
      state: isSilent ? 'WARNING' : 'DONE',
      word: isSilent ? 'silent' : 'follower',
      version: version ?? '–',
      behind: behind === 0 ? 'nothing' : `${count(behind)} ${behind === 1 ? 'entry' : 'entries'}`,
      heard: `${duration(heardMsAgo)} ago`,
    };
  });
  return [own, ...others];
}

/** How this node's clock compares with that of the shared log. */
function aside(skewMs: number): string {
  if (Math.abs(skewMs) < 1) return 'as the log has it';
  return `${duration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead' : 'behind'}`;
}
