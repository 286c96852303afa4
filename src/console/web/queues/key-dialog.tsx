/** Actions on a flow-control key: pause it, pin its limits, start a new window. */
import type { FormEvent } from 'react';
import { api, ask } from '../api/client.ts';
import { Action } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { TextField } from '../parts/field.tsx';
import { Failure } from '../parts/states.tsx';
import { duration } from '../time/format.ts';
import { ChangeButton } from './change-button.tsx';

/** The fields of a key that can be changed. */
interface FlowKey {
  readonly flowControlKey: string;
  readonly parallelismMax: number;
  readonly rateMax: number;
  /** In seconds. */
  readonly ratePeriod: number;
  readonly isPaused: boolean;
  readonly isPinnedParallelism: boolean;
  readonly isPinnedRate: boolean;
}

/** A button, and the dialog that it opens. */
export function KeyDialog({ flowKey }: { readonly flowKey: FlowKey }) {
  return (
    <ChangeButton
      name={flowKey.flowControlKey}
      dialog={(close) => <KeyForm flowKey={flowKey} close={close} />}
    />
  );
}

type Verb = 'pause' | 'resume' | 'reset' | 'resetRate' | 'unpin';

function useKeyChange(key: string) {
  const path = { key };
  const kinds = ['flow', 'message'];
  const verb = useChange((asked: Verb) => {
    const query = { parallelism: true, rate: true };
    return asked === 'unpin'
      ? ask(api.POST('/v2/flowControl/{key}/unpin', { params: { path, query } }))
      : ask(api.POST(`/v2/flowControl/{key}/${asked}`, { params: { path } }));
  }, kinds);
  const pin = useChange(
    (query: { parallelism?: number; rate?: number; period?: number }) =>
      ask(api.POST('/v2/flowControl/{key}/pin', { params: { path, query } })),
    kinds,
  );
  return { verb, pin };
}

function KeyForm({ flowKey, close }: { readonly flowKey: FlowKey; readonly close: () => void }) {
  const { flowControlKey: key, isPaused, isPinnedParallelism, isPinnedRate } = flowKey;
  const { verb, pin } = useKeyChange(key);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const number = (name: string) => Number(fields.get(name));
    pin.mutate({
      ...(number('parallelism') > 0 && { parallelism: number('parallelism') }),
      ...(number('rate') > 0 && { rate: number('rate'), period: number('period') || 1 }),
    });
  };
  const error = verb.error ?? pin.error;
  const period = duration(flowKey.ratePeriod * 1000);
  const rate = flowKey.rateMax === 0 ? 'no limit' : `${flowKey.rateMax} in ${period}`;
  return (
    <Dialog title={`Flow-control key ${key}`} close={close}>
      <Facts
        of={{
          'In flight': `${flowKey.parallelismMax || 'no limit'}${isPinnedParallelism ? ', pinned' : ''}`,
          Rate: `${rate}${isPinnedRate ? ', pinned' : ''}`,
        }}
      />
      {error !== null && <Failure error={error} />}
      <div className="mb-4 flex flex-wrap gap-2">
        <Action onClick={() => verb.mutate(isPaused ? 'resume' : 'pause')}>
          {isPaused ? 'Resume' : 'Pause'}
        </Action>
        <Action onClick={() => verb.mutate('resetRate')}>Start a new window</Action>
        <Action onClick={() => verb.mutate('reset')}>Reset counts</Action>
        {(isPinnedParallelism || isPinnedRate) && (
          <Action onClick={() => verb.mutate('unpin')}>Unpin</Action>
        )}
      </div>
      <form onSubmit={submit} className="border-t border-line pt-3">
        <p className="mb-3 text-muted">
          Pinned limits override those of messages. An empty field pins nothing.
        </p>
        <div className="grid grid-cols-3 gap-3">
          <TextField label="In flight" name="parallelism" type="number" min={1} />
          <TextField label="Rate" name="rate" type="number" min={1} />
          <TextField label="Period" hint="s" name="period" type="number" min={1} />
        </div>
        <Action type="submit" look="main">
          Pin
        </Action>
      </form>
    </Dialog>
  );
}
