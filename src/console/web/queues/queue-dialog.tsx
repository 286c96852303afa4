/** Actions on a queue: change its parallelism, or delete it. */
import type { FormEvent } from 'react';
import { api, ask } from '../api/client.ts';
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
    <ChangeButton name={queue.name} dialog={(close) => <QueueForm queue={queue} close={close} />} />
  );
}

const kinds = ['queue', 'message'];

function QueueForm({
  queue: { name, parallelism, lag },
  close,
}: {
  readonly queue: ShownQueue;
  readonly close: () => void;
}) {
  const change = useChange(
    async (atOnce: number) => {
      await ask(api.POST('/v2/queues', { body: { queueName: name, parallelism: atOnce } }));
    },
    kinds,
    close,
  );
  const remove = useChange(
    async () => {
      await ask(api.DELETE('/v2/queues/{name}', { params: { path: { name } } }));
    },
    kinds,
    close,
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.mutate(Number(new FormData(event.currentTarget).get('parallelism')));
  };
  const error = change.error ?? remove.error;
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
        {error !== null && <Failure error={error} />}
        <div className="flex flex-wrap gap-2">
          <Action type="submit" look="main" disabled={change.isPending}>
            Change
          </Action>
          <Action
            look="danger"
            disabled={remove.isPending}
            title={lag > 0 ? `It has ${count(lag)} messages` : undefined}
            onClick={() => remove.mutate(undefined)}
          >
            Delete the queue
          </Action>
          <Button onClick={close}>Close</Button>
        </div>
      </form>
    </Dialog>
  );
}
