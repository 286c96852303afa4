/** Credentials of the log interface, each for some topics. */
import { api, ask } from '../api/client.ts';
import { Choice, TextField } from '../parts/field.tsx';
import type { Column } from '../parts/row-table.tsx';
import { NamedPanel } from './named-panel.tsx';

const load = () => ask(api.GET('/admin/credentials'));
type Credential = Awaited<ReturnType<typeof load>>[number];

const columns: readonly Column<Credential>[] = [
  { name: 'Name', cell: ({ name, username }) => <span title={username}>{name}</span> },
  { name: 'Topics', cell: ({ topic }) => topic },
  { name: 'May', width: '7rem', cell: ({ permissions }) => permissions.toLowerCase() },
];

async function create(text: (name: string) => string) {
  const body = {
    name: text('name'),
    topic: text('topic'),
    // The value is one of the options.
    permissions: text('permissions') as Credential['permissions'],
  };
  const { name, username, password } = await ask(api.POST('/admin/credentials', { body }));
  return { name, secret: `${username}:${password}` };
}

const fields = (
  <>
    <TextField label="Name" name="name" required />
    <TextField label="Topics" hint="a name, a prefix with *, or *" name="topic" required />
    <Choice label="May" name="permissions" defaultValue="CONSUME">
      <option value="CONSUME">consume</option>
      <option value="PRODUCE">produce</option>
      <option value="ALL">all</option>
    </Choice>
  </>
);

export function CredentialsPanel() {
  return (
    <NamedPanel
      title="Credentials of topics"
      noun="credential"
      kind="credential"
      load={load}
      columns={columns}
      empty="There is only the configured credential."
      removeWord="Delete"
      removeMeans="Clients that use it are refused from then on."
      remove={(name) =>
        ask(api.DELETE('/admin/credentials/{name}', { params: { path: { name } } }))
      }
      fields={fields}
      create={create}
    />
  );
}
