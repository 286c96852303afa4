/** Created bearer tokens: their roles, when they were used, making and revoking them. */
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Action, Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Code } from '../parts/code.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Choice, TextField } from '../parts/field.tsx';
import { Panel } from '../parts/page.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { now } from '../time/clock.ts';
import { Time } from '../time/time.tsx';

const loadTokens = () => ask(api.GET('/admin/tokens'));
type Token = Awaited<ReturnType<typeof loadTokens>>[number];

const kinds = ['token'];
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
  { name: 'Do', width: '7rem', isRight: true, cell: ({ name }) => <Revoke name={name} /> },
];

function Revoke({ name }: { readonly name: string }) {
  const params = { path: { name } };
  const revoke = useChange(() => ask(api.DELETE('/admin/tokens/{name}', { params })), kinds);
  return (
    <Action
      needs="admin"
      look="danger"
      isSmall
      aria-label={`Revoke ${name}`}
      disabled={revoke.isPending}
      onClick={() => revoke.mutate(undefined)}
    >
      Revoke
    </Action>
  );
}

export function TokensPanel() {
  const tokens = useQuery({ queryKey: kinds, queryFn: loadTokens });
  const [isOpen, setOpen] = useState(false);
  return (
    <Panel
      title="Tokens"
      aside={
        <Action needs="admin" icon={<Plus className="size-4" />} onClick={() => setOpen(true)}>
          Create
        </Action>
      }
    >
      <Loaded query={tokens} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="p-3 text-muted">
              None beside those of the configuration. A token has a name, a role, and perhaps an
              end.
            </p>
          ) : (
            <RowTable label="Tokens" columns={columns} rows={rows} keyOf={({ name }) => name} />
          )
        }
      </Loaded>
      {isOpen && <CreateDialog close={() => setOpen(false)} />}
    </Panel>
  );
}

function CreateDialog({ close }: { readonly close: () => void }) {
  const create = useChange(
    (body: { name: string; role: Token['role']; expiresAt: number | null }) =>
      ask(api.POST('/admin/tokens', { body })),
    kinds,
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const days = Number(fields.get('days'));
    const expiresAt = days > 0 ? now() + days * dayMs : null;
    create.mutate({
      name: String(fields.get('name')).trim(),
      role: String(fields.get('role')) as Token['role'],
      expiresAt,
    });
  };
  if (create.data !== undefined) {
    return (
      <Dialog title={`The token ${create.data.name}`} close={close}>
        <p className="mb-2">Keep it now: it is not shown again.</p>
        <Code text={create.data.token} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Create a token" close={close}>
      <form onSubmit={submit}>
        <TextField label="Name" name="name" required />
        <Choice label="Role" name="role" defaultValue="read">
          <option value="read">read: looks at everything that is no secret</option>
          <option value="operate">operate: all but settings and keys</option>
          <option value="admin">admin: everything</option>
        </Choice>
        <TextField
          label="Days until it expires"
          hint="empty = never"
          name="days"
          type="number"
          min={1}
        />
        {create.error !== null && <Failure error={create.error} />}
        <div className="flex gap-2">
          <Action needs="admin" type="submit" look="main" disabled={create.isPending}>
            Create
          </Action>
          <Button onClick={close}>Close</Button>
        </div>
      </form>
    </Dialog>
  );
}
