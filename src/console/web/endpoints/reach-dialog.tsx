/** Tests whether a destination may be called, and whether it answers. */
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Dialog, SubmitRow } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { TextField } from '../parts/field.tsx';
import { State } from '../parts/state-mark.tsx';
import { Failure } from '../parts/states.tsx';
import { duration } from '../time/format.ts';

const reach = (body: { url: string; head: boolean }) => ask(api.POST('/admin/reach', { body }));
type Reached = Awaited<ReturnType<typeof reach>>;

export function ReachDialog({ close }: { readonly close: () => void }) {
  const [url, setUrl] = useState('');
  const test = useMutation({ mutationFn: reach });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    test.mutate({ url: url.trim(), head: fields.get('head') === 'on' });
  };
  return (
    <Dialog title="Test a URL" close={close}>
      <form onSubmit={submit}>
        <TextField
          label="Destination"
          placeholder="https://example.com/hook"
          value={url}
          onChange={({ target }) => setUrl(target.value)}
          required
        />
        <label className="mb-3 flex items-center gap-2">
          <input type="checkbox" name="head" defaultChecked className="size-4 accent-accent-fill" />
          Send one HEAD to it
        </label>
        {test.error !== null && <Failure error={test.error} />}
        <div aria-live="polite">{test.data !== undefined && <Answer reached={test.data} />}</div>
        <SubmitRow needs="admin" disabled={test.isPending} close={close}>
          Test
        </SubmitRow>
      </form>
    </Dialog>
  );
}

function Answer({ reached: { allowed, reason, addresses, head } }: { readonly reached: Reached }) {
  return (
    <Facts
      of={{
        Address: (
          <State
            of={allowed ? 'ON' : 'DAMAGED'}
            word={allowed ? 'may be called' : (reason ?? 'may not be called')}
          />
        ),
        'Leads to': addresses.length === 0 ? undefined : addresses.join(', '),
        Answer:
          head === undefined ? undefined : (
            <State
              of={head.error === undefined ? 'ON' : 'ERROR'}
              word={head.error ?? `${head.status} in ${duration(head.durationMs)}`}
            />
          ),
      }}
    />
  );
}
