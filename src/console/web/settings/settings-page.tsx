/** Tokens and credentials, signing keys, and the configuration of the server. */
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { Facts } from '../parts/facts.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { Loaded } from '../parts/states.tsx';
import { CredentialsPanel } from './credentials-panel.tsx';
import { KeysPanel } from './keys-panel.tsx';
import { TokensPanel } from './tokens-panel.tsx';

const loadConfig = () => ask(api.GET('/admin/config'));
type Setting = Awaited<ReturnType<typeof loadConfig>>[number];

const columns: readonly Column<Setting>[] = [
  {
    name: 'Setting',
    width: '45%',
    cell: ({ variable }) => <code className="font-mono text-xs">{variable}</code>,
  },
  {
    name: 'Value',
    cell: ({ value, isSecret }) => (
      <span className={value === null ? 'text-muted' : ''} title={value ?? ''}>
        {isSecret ? 'secret' : (value ?? '–')}
      </span>
    ),
  },
  { name: 'From', width: '7rem', cell: ({ source }) => source },
];

export default function SettingsPage() {
  const mayAdminister = useMay('admin');
  const build = useQuery({
    queryKey: ['build'],
    queryFn: () => ask(api.GET('/admin/build')),
    refetchInterval: false,
  });
  const config = useQuery({ queryKey: ['config'], queryFn: loadConfig, refetchInterval: false });
  return (
    <Page title="Settings">
      {mayAdminister ? (
        <>
          <TokensPanel />
          <CredentialsPanel />
          <KeysPanel />
        </>
      ) : (
        <p className="mb-4 text-muted">
          Tokens, credentials and signing keys are shown to a token with the role admin.
        </p>
      )}
      <Panel title="Configuration" aside="read when the server starts">
        <Loaded query={config}>
          {(rows) => (
            <RowTable
              label="Configuration"
              columns={columns}
              rows={rows}
              keyOf={({ variable }) => variable}
            />
          )}
        </Loaded>
      </Panel>
      <Panel title="Build">
        <Loaded query={build} lines={3}>
          {({ version, build: digest, node, platform, architecture, pid }) => (
            <Facts
              of={{
                Version: version,
                Build: <code className="font-mono text-xs break-all">{digest}</code>,
                'Node.js': node,
                Machine: `${platform}, ${architecture}`,
                Process: pid,
              }}
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}
