/** Creates or replaces a schedule; while the cron expression is typed, its next times are shown. */
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api, ask } from '../api/client.ts';
import { sendText } from '../api/send.ts';
import { useChange } from '../parts/change.ts';
import { Dialog, SubmitRow } from '../parts/dialog.tsx';
import { TextArea, TextField, useFields } from '../parts/field.tsx';
import { useSettled } from '../parts/settled.ts';
import { Failure, useHeaderPrefix } from '../parts/states.tsx';
import { destinationPath } from '../publish/destination-path.ts';
import { headersIn } from '../publish/options.ts';
import { useNow } from '../time/clock.ts';
import { relative } from '../time/format.ts';
import { clockIn } from '../time/zones.ts';
import { useCronWords } from './cron.tsx';
import type { ScheduleDraft } from './schedule-draft.ts';

interface DialogProps {
  readonly draft: ScheduleDraft;
  /** The id of the schedule to replace; absent for a new one. */
  readonly id?: string;
  readonly close: () => void;
  readonly saved: (id: string) => void;
}

/** Sends a draft; `saved` gets the id of the schedule. */
function useSave(id: string | undefined, saved: (id: string) => void) {
  const prefix = useHeaderPrefix();
  return useChange(
    ({ fields, zone, destination, body, headers }: ScheduleDraft) =>
      sendText<{ readonly scheduleId: string }>(
        destinationPath('/v2/schedules/', destination.trim()),
        body,
        {
          ...headersIn(headers),
          [`${prefix}Cron`]: `CRON_TZ=${zone.trim() || 'UTC'} ${fields.trim()}`,
          ...(id !== undefined && { [`${prefix}Schedule-Id`]: id }),
        },
      ),
    ['schedule'],
    ({ scheduleId }) => saved(scheduleId),
  );
}

export function ScheduleDialog({ draft, id, close, saved }: DialogProps) {
  const { typed, field } = useFields(draft);
  const save = useSave(id, saved);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(typed);
  };
  return (
    <Dialog title={id === undefined ? 'Create a schedule' : `Edit ${id}`} close={close}>
      <form onSubmit={submit}>
        <div className="grid gap-x-3 sm:grid-cols-2">
          <TextField
            label="Cron"
            hint="minute hour day month weekday"
            placeholder="0 9 * * 1-5"
            required
            {...field('fields')}
          />
          <TextField label="Zone" placeholder="UTC" {...field('zone')} />
        </div>
        <Preview fields={typed.fields} zone={typed.zone} />
        <TextField
          label="Destination"
          hint="a URL, or the name of a URL group"
          placeholder="https://example.com/hook"
          required
          {...field('destination')}
        />
        <TextArea label="Body" rows={3} {...field('body')} />
        <TextArea
          label="Headers"
          hint="options and headers to forward, one per line"
          rows={4}
          {...field('headers')}
        />
        {id !== undefined && (
          <p className="mb-3 text-muted">
            The schedule is replaced by these values. Options that are not shown, such as those of
            callbacks and what is redacted, are as a new schedule has them.
          </p>
        )}
        {save.error !== null && <Failure error={save.error} />}
        <SubmitRow disabled={save.isPending} close={close}>
          {id === undefined ? 'Create' : 'Save'}
        </SubmitRow>
      </form>
    </Dialog>
  );
}

/** The server's interpretation of an expression: its next times, or why it has none. */
function Preview({ fields, zone }: { readonly fields: string; readonly zone: string }) {
  const cron = useSettled(fields.trim());
  const place = useSettled(zone.trim());
  const words = useCronWords(cron);
  const now = useNow();
  const { data, error } = useQuery({
    queryKey: ['preview', cron, place],
    queryFn: () => {
      const body = { cron, ...(place !== '' && { zone: place }) };
      return ask(api.POST('/v2/schedules/preview', { body }));
    },
    enabled: cron !== '',
    retry: false,
    refetchInterval: false,
  });
  return (
    <div role="status" className="mb-3 min-h-16 rounded-md border border-line bg-ground p-2">
      {cron === '' && <span className="text-muted">The next times are shown here.</span>}
      {cron !== '' && error !== null && <span className="text-bad">{error.message}</span>}
      {cron !== '' && error === null && data !== undefined && (
        <>
          <strong>{words}</strong> <span className="text-muted">{data.zone}</span>
          <ul className="mt-1 flex flex-wrap gap-x-4">
            {data.times.map((at) => (
              <li key={at}>
                {clockIn(at, data.zone)} <span className="text-muted">{relative(at, now)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
