/** Lists, creates and removes things with a name and a secret, which is only shown once. */
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { DangerAction } from '../asking/danger-action.tsx';
import { Action } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Code } from '../parts/code.tsx';
import { Dialog, SubmitRow } from '../parts/dialog.tsx';
import { Panel } from '../parts/page.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { Failure, Loaded } from '../parts/states.tsx';

/** A created token or credential. */
interface Made {
  readonly name: string;
  /** Shown only once, after the creation. */
  readonly secret: string;
}

interface NamedPanelProps<Row extends { readonly name: string }> {
  readonly title: string;
  /** The word for one of them: `token`. */
  readonly noun: string;
  /** The first part of their query keys. */
  readonly kind: string;
  readonly load: () => Promise<readonly Row[]>;
  readonly columns: readonly Column<Row>[];
  /** Shown if there are none. */
  readonly empty: string;
  /** The word for removing one: `Revoke`, `Delete`. */
  readonly removeWord: string;
  /** What follows from removing one. */
  readonly removeMeans: string;
  readonly remove: (name: string) => Promise<unknown>;
  /** The fields for a new one, and what creates it from them. */
  readonly fields: ReactNode;
  readonly create: (text: (name: string) => string) => Promise<Made>;
}

/** Creating and removing need the role admin; `kind` is the key of the query. */
export function NamedPanel<Row extends { readonly name: string }>(props: NamedPanelProps<Row>) {
  const { title, noun, kind, load, columns, empty, removeWord, removeMeans, remove } = props;
  const query = useQuery({ queryKey: [kind], queryFn: load });
  const [isOpen, setOpen] = useState(false);
  const removal: Column<Row> = {
    name: 'Actions',
    width: '7rem',
    isRight: true,
    cell: ({ name }) => (
      <DangerAction
        needs="admin"
        isSmall
        aria-label={`${removeWord} ${name}`}
        question={`${removeWord} the ${noun} ${name}?`}
        means={removeMeans}
        confirm={removeWord}
        act={() => remove(name)}
        kinds={[kind]}
      >
        {removeWord}…
      </DangerAction>
    ),
  };
  return (
    <Panel
      title={title}
      aside={
        <Action needs="admin" icon={<Plus className="size-4" />} onClick={() => setOpen(true)}>
          Create…
        </Action>
      }
    >
      <Loaded query={query} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="p-3 text-muted">{empty}</p>
          ) : (
            <RowTable
              label={title}
              columns={[...columns, removal]}
              rows={rows}
              keyOf={({ name }) => name}
            />
          )
        }
      </Loaded>
      {isOpen && <CreateDialog {...props} close={() => setOpen(false)} />}
    </Panel>
  );
}

function CreateDialog<Row extends { readonly name: string }>({
  noun,
  kind,
  fields,
  create,
  close,
}: NamedPanelProps<Row> & { readonly close: () => void }) {
  const change = useChange(create, [kind]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    change.mutate((name) => String(typed.get(name) ?? '').trim());
  };
  if (change.data !== undefined) {
    return (
      <Dialog title={`The ${noun} ${change.data.name}`} close={close}>
        <p className="mb-2">Copy it now: it is not shown again.</p>
        <Code text={change.data.secret} />
      </Dialog>
    );
  }
  return (
    <Dialog title={`Create a ${noun}`} close={close}>
      <form onSubmit={submit}>
        {fields}
        {change.error !== null && <Failure error={change.error} />}
        <SubmitRow needs="admin" disabled={change.isPending} close={close}>
          Create
        </SubmitRow>
      </form>
    </Dialog>
  );
}
