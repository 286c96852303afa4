/** Changes the time of a message's next attempt, relative to now. */
import type { FormEvent } from 'react';
import { api, ask } from '../api/client.ts';
import { useChange } from '../parts/change.ts';
import { Dialog, SubmitRow } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Failure } from '../parts/states.tsx';
import { exact } from '../time/format.ts';
import type { Message } from './load-message.ts';

export function DelayDialog({
  message: { messageId: id, nextDeliveryTime },
  close,
}: {
  readonly message: Message;
  readonly close: () => void;
}) {
  const move = useChange(
    (delay: string) =>
      ask(api.PATCH('/v2/messages/{id}', { params: { path: { id } }, body: { delay } })),
    ['message'],
    close,
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    move.mutate(String(new FormData(event.currentTarget).get('delay')).trim());
  };
  return (
    <Dialog title="Change the delay" close={close}>
      <form onSubmit={submit}>
        <p className="mb-3 text-muted">
          {nextDeliveryTime === undefined
            ? 'Its next attempt starts as soon as its limits allow.'
            : `Its next attempt starts at ${exact(nextDeliveryTime)}.`}
        </p>
        <TextField
          label="Not before"
          hint="from now: 90 (seconds), 30s, 1d10h30m"
          name="delay"
          placeholder="10m"
          required
        />
        {move.error !== null && <Failure error={move.error} />}
        <SubmitRow disabled={move.isPending} close={close}>
          Change
        </SubmitRow>
      </form>
    </Dialog>
  );
}
