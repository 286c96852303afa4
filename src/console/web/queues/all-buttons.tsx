/** Pauses or resumes all queues, or all flow-control keys, after explaining what that means. */
import { Pause, Play } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Action, Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/states.tsx';

type Verb = 'pause' | 'resume';

interface AllProps {
  readonly of: 'queues' | 'flowControl';
  /** Whether each item is paused. */
  readonly states: readonly boolean[];
}

const nameOf = { queues: 'queues', flowControl: 'flow-control keys' } as const;
const icon = 'size-3.5';

export function AllButtons({ of, states }: AllProps) {
  const [verb, setVerb] = useState<Verb | null>(null);
  return (
    <span className="flex gap-2">
      <Action
        isSmall
        icon={<Pause className={icon} />}
        disabled={!states.includes(false)}
        onClick={() => setVerb('pause')}
      >
        Pause all…
      </Action>
      <Action
        isSmall
        icon={<Play className={icon} />}
        disabled={!states.includes(true)}
        onClick={() => setVerb('resume')}
      >
        Resume all…
      </Action>
      {verb !== null && <AllDialog of={of} verb={verb} close={() => setVerb(null)} />}
    </span>
  );
}

function AllDialog({
  of,
  verb,
  close,
}: {
  readonly of: AllProps['of'];
  readonly verb: Verb;
  readonly close: () => void;
}) {
  const change = useChange(
    async () => {
      await ask(api.POST(`/v2/${of}/${verb}`));
    },
    ['queue', 'flow', 'message'],
    close,
  );
  const word = verb === 'pause' ? 'Pause' : 'Resume';
  return (
    <Dialog title={`${word} all ${nameOf[of]}?`} close={close}>
      <p className="mb-3">
        {verb === 'pause'
          ? 'Attempts in flight continue; no new attempt starts until you resume them.'
          : 'Resumes all of them, including those that were paused one by one.'}
      </p>
      {change.error !== null && <Failure error={change.error} />}
      <div className="flex gap-2">
        <Action look="main" disabled={change.isPending} onClick={() => change.mutate(undefined)}>
          {word} all
        </Action>
        <Button onClick={close}>Close</Button>
      </div>
    </Dialog>
  );
}
