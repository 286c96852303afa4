/** Appends one record to a topic. */
import { type FormEvent, useState } from 'react';
import { api, ask } from '../api/client.ts';
import { useChange } from '../parts/change.ts';
import { Dialog, SubmitRow } from '../parts/dialog.tsx';
import { TextArea, TextField } from '../parts/field.tsx';

interface ProduceProps {
  readonly topic: string;
  readonly close: () => void;
}

export function ProduceDialog({ topic, close }: ProduceProps) {
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const produce = useChange(() => {
    const record = { value, ...(key !== '' && { key }) };
    return ask(api.POST('/produce/{topic}', { params: { path: { topic } }, body: [record] }));
  }, ['topic']);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    produce.mutate(undefined);
  };
  const stored = produce.data?.[0];
  return (
    <Dialog title={`Produce to ${topic}`} close={close}>
      <form onSubmit={submit}>
        <TextField
          label="Key"
          hint="records with the same key go to one partition, in order"
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        <TextArea label="Value" value={value} onChange={(event) => setValue(event.target.value)} />
        {produce.error !== null && (
          <p role="alert" className="mb-3 text-bad">
            {produce.error.message}
          </p>
        )}
        {stored !== undefined && 'offset' in stored && (
          <p role="status" className="mb-3 text-muted">
            It is at offset {stored.offset} of partition {stored.partition}.
          </p>
        )}
        <SubmitRow disabled={produce.isPending} close={close}>
          Produce
        </SubmitRow>
      </form>
    </Dialog>
  );
}
