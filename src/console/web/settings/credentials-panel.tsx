/** Credentials of the log interface, each for some topics. */
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

const load = () => ask(api.GET('/admin/credentials'));
type Credential = Awaited<ReturnType<typeof load>>[number];

const kinds = ['credential'];

const columns: readonly Column<Credential>[] = [
  { name: 'Name', cell: ({ name, username }) => <span title={username}>{name}</span> },
  { name: 'Topics', cell: ({ topic }) => topic },
  { name: 'May', width: '7rem', cell: ({ permissions }) => permissions.toLowerCase() },
  { name: 'Do', width: '7rem', isRight: true, cell: ({ name }) => <Remove name={name} /> },
];

function Remove({ name }: { readonly name: string }) {
  const params = { path: { name } };
  const remove = useChange(() => ask(api.DELETE('/admin/credentials/{name}', { params })), kinds);
  return (
    <Action
      needs="admin"
      look="danger"
      isSmall
      aria-label={`Delete ${name}`}
      disabled={remove.isPending}
      onClick={() => remove.mutate(undefined)}
    >
      Delete
    </Action>
  );
}

export function CredentialsPanel() {
  const credentials = useQuery({ queryKey: kinds, queryFn: load });
  const [isOpen, setOpen] = useState(false);
  return (
    <Panel
      title="Credentials of topics"
      aside={
        <Action needs="admin" icon={<Plus className="size-4" />} onClick={() => setOpen(true)}>
          Create
        </Action>
      }
    >
      <Loaded query={credentials} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="p-3 text-muted">None beside the one of the configuration.</p>
          ) : (
            <RowTable
              label="Credentials of topics"
              columns={columns}
              rows={rows}
              keyOf={({ name }) => name}
            />
          )
        }
      </Loaded>
      {isOpen && <CreateDialog close={() => setOpen(false)} />}
    </Panel>
  );
}

function CreateDialog({ close }: { readonly close: () => void }) {
  const create = useChange(
    (body: { name: string; topic: string; permissions: Credential['permissions'] }) =>
      ask(api.POST('/admin/credentials', { body })),
    kinds,
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const text = (name: string) => String(fields.get(name)).trim();
    create.mutate({
      name: text('name'),
      topic: text('topic'),
      permissions: text('permissions') as Credential['permissions'],
    });
  };
  if (create.data !== undefined) {
    return (
      <Dialog title={`The credential ${create.data.name}`} close={close}>
        <p className="mb-2">Keep the password now: it is not shown again.</p>
        <Code text={`${create.data.username}:${create.data.password}`} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Create a credential" close={close}>
      <form onSubmit={submit}>
        <TextField label="Name" name="name" required />
        <TextField label="Topics" hint="a name, a beginning with *, or *" name="topic" required />
        <Choice label="May" name="permissions" defaultValue="CONSUME">
          <option value="CONSUME">consume</option>
          <option value="PRODUCE">produce</option>
          <option value="ALL">all</option>
        </Choice>
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
