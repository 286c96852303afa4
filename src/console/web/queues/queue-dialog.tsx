/** Actions on a queue: change its parallelism, or delete it. */
import { type FormEvent, useState } from 'react';
import { api, ask } from '../api/client.ts';
import { DangerDialog } from '../asking/danger-action.tsx';
import { Action, Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Failure } from '../parts/states.tsx';
import { count } from '../time/format.ts';
import { ChangeButton } from './change-button.tsx';

/** The fields of a queue that the dialog needs. */
export interface ShownQueue {
  readonly name: string;
  readonly parallelism: number;
  /** How many of its messages have not ended. */
  readonly lag: number;
}

/** A button, and the dialog that it opens. */
export function QueueDialog({ queue }: { readonly queue: ShownQueue }) {
  return (
    <ChangeButton
      name={queue.name}
      dialog={(close) => <QueueDialogs queue={queue} close={close} />}
    />
  );
}

interface QueueDialogProps {
  readonly queue: ShownQueue;
  readonly close: () => void;
}

const kinds = ['queue', 'message'];

/** The question takes the place of the form. */
function QueueDialogs({ queue, close }: QueueDialogProps) {
  const [isRemoving, setRemoving] = useState(false);
  return isRemoving ? (
    <Removal queue={queue} close={close} />
  ) : (
    <QueueForm queue={queue} close={close} remove={() => setRemoving(true)} />
  );
}

function Removal({ queue: { name, lag }, close }: QueueDialogProps) {
  const its = lag === 1 ? 'its message' : `its ${count(lag)} messages`;
  return (
    <DangerDialog
      question={
        lag === 0 ? `Delete the queue ${name}?` : `Delete the queue ${name} and cancel ${its}?`
      }
      means={
        lag === 0
          ? 'It has no messages.'
          : 'Attempts in flight are not cut, and not repeated. This cannot be taken back.'
      }
      confirm="Delete the queue"
      act={() => ask(api.DELETE('/v2/queues/{name}', { params: { path: { name } } }))}
      kinds={kinds}
      close={close}
    />
  );
}

function QueueForm({
  queue: { name, parallelism },
  close,
  remove,
}: QueueDialogProps & { readonly remove: () => void }) {
  const change = useChange(
    async (atOnce: number) => {
      await ask(api.POST('/v2/queues', { body: { queueName: name, parallelism: atOnce } }));
    },
    kinds,
    close,
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.mutate(Number(new FormData(event.currentTarget).get('parallelism')));
  };
  return (
    <Dialog title={`Queue ${name}`} close={close}>
      <form onSubmit={submit} className="text-left">
        <TextField
          label="Parallelism"
          hint="how many of its messages may be in flight; 1 keeps their order"
          name="parallelism"
          type="number"
          min={1}
          max={10_000}
          required
          defaultValue={parallelism}
        />
        {change.error !== null && <Failure error={change.error} />}
        <div className="flex flex-wrap gap-2">
          <Action type="submit" look="main" disabled={change.isPending}>
            Change
          </Action>
          <Action look="danger" onClick={remove}>
            Delete the queue…
          </Action>
          <Button onClick={close}>Close</Button>
        </div>
      </form>
    </Dialog>
  );
}
