/** Actions on a schedule. */
import { useNavigate } from '@tanstack/react-router';
import { FastForward, Pause, Pencil, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { isHidden } from '../bodies/body-words.ts';
import { Action, Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure, useHeaderPrefix } from '../parts/states.tsx';
import type { Schedule } from './load-schedule.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { draftOf } from './schedule-draft.ts';

const icon = 'size-4';

/** Pauses a schedule, or resumes a paused one. */
export function usePause({ scheduleId: id, isPaused }: Schedule) {
  const params = { path: { id } };
  return useChange(
    () =>
      isPaused
        ? ask(api.POST('/v2/schedules/{id}/resume', { params }))
        : ask(api.POST('/v2/schedules/{id}/pause', { params })),
    ['schedule'],
  );
}

/** Publishes the schedule's message now; its next time does not change. */
export function useTrigger(id: string) {
  return useChange(
    () => ask(api.POST('/v2/schedules/{id}/trigger', { params: { path: { id } } })),
    ['schedule', 'message'],
  );
}

/**
 * For the page of one schedule. A schedule whose body is hidden or not text cannot be edited, as
 * the body would be lost.
 */
export function ScheduleActions({ schedule }: { readonly schedule: Schedule }) {
  const { scheduleId: id, isPaused, bodyBase64 } = schedule;
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const close = () => setOpen(null);
  const navigate = useNavigate();
  const prefix = useHeaderPrefix();
  const pause = usePause(schedule);
  const trigger = useTrigger(id);
  const error = pause.error ?? trigger.error;
  const isText = bodyBase64 === undefined && !isHidden(schedule);
  return (
    <>
      {error !== null && <Failure error={error} />}
      <Action
        icon={<FastForward className={icon} />}
        title="Publishes now; the next time does not change"
        disabled={trigger.isPending}
        onClick={() => trigger.mutate(undefined)}
      >
        Trigger now
      </Action>
      <Action
        icon={isPaused ? <Play className={icon} /> : <Pause className={icon} />}
        disabled={pause.isPending}
        onClick={() => pause.mutate(undefined)}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </Action>
      <Action
        icon={<Pencil className={icon} />}
        disabled={!isText}
        title={isText ? undefined : 'its body is not shown, and would be lost'}
        onClick={() => setOpen('edit')}
      >
        Edit…
      </Action>
      <Action look="danger" icon={<Trash2 className={icon} />} onClick={() => setOpen('delete')}>
        Delete…
      </Action>
      {open === 'edit' && (
        <ScheduleDialog draft={draftOf(schedule, prefix)} id={id} close={close} saved={close} />
      )}
      {open === 'delete' && (
        <Removal id={id} close={close} removed={() => navigate({ to: '/schedules' })} />
      )}
    </>
  );
}

/** Asks before it deletes; `removed` is called after the deletion. */
function Removal({
  id,
  close,
  removed,
}: {
  readonly id: string;
  readonly close: () => void;
  readonly removed: () => void;
}) {
  const params = { path: { id } };
  const remove = useChange(
    () => ask(api.DELETE('/v2/schedules/{id}', { params })),
    ['schedule'],
    removed,
  );
  return (
    <Dialog title={`Delete the schedule ${id}?`} close={close}>
      <p className="mb-3 text-left">
        It stops triggering. Messages that it has published continue.
      </p>
      {remove.error !== null && <Failure error={remove.error} />}
      <div className="flex gap-2">
        <Action look="danger" disabled={remove.isPending} onClick={() => remove.mutate(undefined)}>
          Delete
        </Action>
        <Button onClick={close}>Close</Button>
      </div>
    </Dialog>
  );
}
