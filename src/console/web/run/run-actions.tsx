/** Actions on a run: notify, cancel; resume or restart a failed one. */
import { useNavigate } from '@tanstack/react-router';
import { Bell, CircleSlash, Pencil, Play, RotateCcw, Terminal } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Action, Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Dialog } from '../parts/dialog.tsx';
import { CurlDialog } from './curl-dialog.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { NotifyDialog } from './notify-dialog.tsx';
import type { ShownRun } from './run-log.ts';

interface RunActionsProps {
  readonly run: ShownRun;
  /** The events that the run waits for now. */
  readonly eventIds: readonly string[];
}

const icon = 'size-4';

export function RunActions({ run, eventIds }: RunActionsProps) {
  const [open, setOpen] = useState<'notify' | 'cancel' | 'curl' | null>(null);
  const close = () => setOpen(null);
  const { workflowRunId: id, workflowState: state, dlqId } = run;
  const isActive = state === 'RUN_STARTED';
  return (
    <>
      {isActive && (
        <>
          <Action icon={<Bell className={icon} />} onClick={() => setOpen('notify')}>
            Notify…
          </Action>
          <Action
            look="danger"
            icon={<CircleSlash className={icon} />}
            onClick={() => setOpen('cancel')}
          >
            Cancel…
          </Action>
        </>
      )}
      {dlqId !== undefined && <Repair runId={id} dlqId={dlqId} />}
      <Button icon={<Terminal className={icon} />} onClick={() => setOpen('curl')}>
        As curl
      </Button>
      {open === 'notify' && <NotifyDialog runId={id} eventIds={eventIds} close={close} />}
      {open === 'cancel' && <CancelDialog id={id} close={close} />}
      {open === 'curl' && <CurlDialog run={run} close={close} />}
    </>
  );
}

/** A failed run has a dead letter, from which a new run can be made. */
function Repair({ runId, dlqId: id }: { readonly runId: string; readonly dlqId: string }) {
  const navigate = useNavigate();
  const [isEditing, setEditing] = useState(false);
  const show = (workflowRunId: string) =>
    navigate({ to: '/workflows/$id', params: { id: workflowRunId } });
  const repair = useChange(
    (verb: 'resume' | 'restart') => {
      const params = { params: { path: { id } } };
      return verb === 'resume'
        ? ask(api.POST('/v2/workflows/dlq/resume/{id}', params))
        : ask(api.POST('/v2/workflows/dlq/restart/{id}', params));
    },
    ['run', 'dlq'],
    ({ workflowRunId }) => show(workflowRunId),
  );
  return (
    <>
      <Action
        icon={<Play className={icon} />}
        title="A new run continues where this one failed; finished steps stay"
        disabled={repair.isPending}
        onClick={() => repair.mutate('resume')}
      >
        Resume
      </Action>
      <Action
        icon={<Pencil className={icon} />}
        title="The same, with another result for one of the steps"
        disabled={repair.isPending}
        onClick={() => setEditing(true)}
      >
        Resume edited…
      </Action>
      <Action
        icon={<RotateCcw className={icon} />}
        title="A new run starts with the same payload"
        disabled={repair.isPending}
        onClick={() => repair.mutate('restart')}
      >
        Restart
      </Action>
      {isEditing && (
        <EditDialog
          {...{ runId, dlqId: id }}
          close={() => setEditing(false)}
          resumed={(to) => {
            setEditing(false);
            show(to);
          }}
        />
      )}
      {repair.error !== null && (
        <p role="alert" className="w-full text-bad">
          {repair.error.message}
        </p>
      )}
    </>
  );
}

function CancelDialog({ id, close }: { readonly id: string; readonly close: () => void }) {
  const cancel = useChange(
    () => {
      const path = { workflowRunId: id };
      return ask(api.DELETE('/v2/workflows/runs/{workflowRunId}', { params: { path } }));
    },
    ['run'],
    close,
  );
  return (
    <Dialog title="Cancel this run" close={close}>
      <p className="mb-3">
        The run ends now: finished steps stay as they are, no further step runs, and no failure
        function is called. This cannot be taken back.
      </p>
      {cancel.error !== null && (
        <p role="alert" className="mb-3 text-bad">
          {cancel.error.message}
        </p>
      )}
      <div className="flex gap-2">
        <Action look="danger" disabled={cancel.isPending} onClick={() => cancel.mutate(undefined)}>
          Cancel the run
        </Action>
        <Button onClick={close}>Let it run</Button>
      </div>
    </Dialog>
  );
}
