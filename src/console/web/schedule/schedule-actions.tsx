/** Actions on a schedule. */
import { useNavigate } from '@tanstack/react-router';
import { FastForward, Pause, Pencil, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { DangerAction } from '../asking/danger-action.tsx';
import { isHidden } from '../bodies/body-words.ts';
import { Action } from '../parts/button.tsx';
import { useRowChange } from '../parts/change.ts';
import { Failure, useHeaderPrefix } from '../parts/states.tsx';
import type { Schedule } from './load-schedule.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { draftOf } from './schedule-draft.ts';

const icon = 'size-4';

/** Pauses a schedule, or resumes a paused one. */
export function usePause({ scheduleId: id, isPaused }: Schedule) {
  const params = { path: { id } };
  return useRowChange(
    () =>
      isPaused
        ? ask(api.POST('/v2/schedules/{id}/resume', { params }))
        : ask(api.POST('/v2/schedules/{id}/pause', { params })),
    ['schedule'],
  );
}

/** Publishes the schedule's message now; its next time does not change. */
export function useTrigger(id: string) {
  return useRowChange(
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
  const [isEditing, setEditing] = useState(false);
  const close = () => setEditing(false);
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
        onClick={() => setEditing(true)}
      >
        Edit…
      </Action>
      <DangerAction
        icon={<Trash2 className={icon} />}
        question={`Delete the schedule ${id}?`}
        means="It stops triggering. Messages that it has published continue."
        confirm="Delete"
        act={() => ask(api.DELETE('/v2/schedules/{id}', { params: { path: { id } } }))}
        kinds={['schedule']}
        done={() => navigate({ to: '/schedules' })}
      >
        Delete…
      </DangerAction>
      {isEditing && (
        <ScheduleDialog draft={draftOf(schedule, prefix)} id={id} close={close} saved={close} />
      )}
    </>
  );
}
