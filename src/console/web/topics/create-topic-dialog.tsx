/** Creates a topic. */
import { type FormEvent, useState } from 'react';
import { api, ask } from '../api/client.ts';
import { useChange } from '../parts/change.ts';
import { Dialog, SubmitRow } from '../parts/dialog.tsx';
import { Choice, TextField } from '../parts/field.tsx';

export function CreateTopicDialog({ close }: { readonly close: () => void }) {
  const [name, setName] = useState('');
  const [partitions, setPartitions] = useState('1');
  const [policy, setPolicy] = useState<'delete' | 'compact'>('delete');
  const create = useChange(
    () => {
      const body = { name, partitions: Number(partitions), cleanupPolicy: policy };
      return ask(api.POST('/admin/topics', { body }));
    },
    ['topic'],
    close,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(undefined);
  };
  return (
    <Dialog title="Create a topic" close={close}>
      <form onSubmit={submit}>
        <TextField
          label="Name"
          hint="letters, digits, _, - and ."
          required
          value={name}
          onChange={(event) => setName(event.target.value.trim())}
        />
        <TextField
          label="Partitions"
          hint="the number can only grow later"
          type="number"
          min={1}
          max={1024}
          required
          value={partitions}
          onChange={(event) => setPartitions(event.target.value)}
        />
        <Choice
          label="Removal"
          hint="cannot be changed later"
          value={policy}
          onChange={(event) => setPolicy(event.target.value === 'compact' ? 'compact' : 'delete')}
        >
          <option value="delete">old records, by age or size</option>
          <option value="compact">all but the last record of each key</option>
        </Choice>
        {create.error !== null && (
          <p role="alert" className="mb-3 text-bad">
            {create.error.message}
          </p>
        )}
        <SubmitRow needs="admin" disabled={create.isPending} close={close}>
          Create
        </SubmitRow>
      </form>
    </Dialog>
  );
}
