/**
 * Created bearer tokens: their roles, when they were used, and buttons to create and revoke them.
 */
import { api, ask } from '../api/client.ts';
import { Choice, TextField } from '../parts/field.tsx';
import type { Column } from '../parts/row-table.tsx';
import { now } from '../time/clock.ts';
import { Time } from '../time/time.tsx';
import { NamedPanel } from './named-panel.tsx';

const load = () => ask(api.GET('/admin/tokens'));
type Token = Awaited<ReturnType<typeof load>>[number];

const dayMs = 86_400_000;

const columns: readonly Column<Token>[] = [
  { name: 'Name', cell: ({ name }) => name },
  { name: 'Role', width: '6rem', cell: ({ role }) => role },
  {
    name: 'Used',
    width: '6rem',
    isRight: true,
    from: 'sm',
    cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
  },
  {
    name: 'Expires',
    width: '6rem',
    isRight: true,
    from: 'sm',
    cell: ({ expiresAt }) => (expiresAt === null ? 'never' : <Time at={expiresAt} />),
  },
];

async function create(text: (name: string) => string) {
  const days = Number(text('days'));
  const body = {
    name: text('name'),
    // The value is one of the options.
    role: text('role') as Token['role'],
    expiresAt: days > 0 ? now() + days * dayMs : null,
  };
  const { name, token } = await ask(api.POST('/admin/tokens', { body }));
  return { name, secret: token };
}

const fields = (
  <>
    <TextField label="Name" name="name" required />
    <Choice label="Role" name="role" defaultValue="read">
      <option value="read">read: reads everything that is not secret</option>
      <option value="operate">operate: everything except settings and keys</option>
      <option value="admin">admin: everything</option>
    </Choice>
    <TextField label="Days until expiry" hint="empty = never" name="days" type="number" min={1} />
  </>
);

export function TokensPanel() {
  return (
    <NamedPanel
      title="Tokens"
      noun="token"
      kind="token"
      load={load}
      columns={columns}
      empty="There are only the configured tokens. A token has a role, and can expire."
      removeWord="Revoke"
      removeMeans="Requests with it are refused from then on, and its sessions end."
      remove={(name) => ask(api.DELETE('/admin/tokens/{name}', { params: { path: { name } } }))}
      fields={fields}
      create={create}
    />
  );
}
