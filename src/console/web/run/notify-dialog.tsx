/** Notifies a run of an event: one that it waits for, or any other. */
import { type FormEvent, useState } from 'react';
import { sendText } from '../api/send.ts';
import { useChange } from '../parts/change.ts';
import { Dialog, SubmitRow } from '../parts/dialog.tsx';
import { TextArea, TextField } from '../parts/field.tsx';

interface NotifyProps {
  readonly runId: string;
  /** The events that the run waits for now. */
  readonly eventIds: readonly string[];
  readonly close: () => void;
}

/** An event id may contain slashes, which are not escaped. */
const pathOf = (runId: string, eventId: string) =>
  `/v2/notify/${encodeURIComponent(runId)}/${eventId.split('/').map(encodeURIComponent).join('/')}`;

export function NotifyDialog({ runId, eventIds, close }: NotifyProps) {
  const [eventId, setEventId] = useState(eventIds[0] ?? '');
  const [data, setData] = useState('');
  const notify = useChange(
    () => sendText<readonly unknown[]>(pathOf(runId, eventId.trim()), data),
    ['run'],
    (woken) => woken.length > 0 && close(),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    notify.mutate(undefined);
  };
  return (
    <Dialog title="Notify this run" close={close}>
      <form onSubmit={submit}>
        <TextField
          label="Event"
          hint={
            eventIds.length === 0 ? 'it waits for no event now; the event is kept for later' : ''
          }
          required
          list="awaited-events"
          value={eventId}
          onChange={(event) => setEventId(event.target.value)}
        />
        <datalist id="awaited-events">
          {eventIds.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <TextArea
          label="Data"
          hint="the data that the wait returns"
          value={data}
          onChange={(event) => setData(event.target.value)}
        />
        {notify.error !== null && (
          <p role="alert" className="mb-3 text-bad">
            {notify.error.message}
          </p>
        )}
        {notify.data?.length === 0 && (
          <p role="status" className="mb-3 text-muted">
            The run does not wait for this event now: it is kept for the next wait.
          </p>
        )}
        <SubmitRow disabled={notify.isPending} close={close}>
          Notify
        </SubmitRow>
      </form>
    </Dialog>
  );
}
