/**
 * Sends a sample to the sink of a development server, so that the first message needs no other
 * program. Other servers have no sink, and so no button.
 */
import { FlaskConical } from 'lucide-react';
import { sendText } from '../api/send.ts';
import { useSession } from '../api/session.ts';
import { Action } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Failure, useHeaderPrefix } from '../parts/states.tsx';

type Sample = 'message' | 'failing' | 'queued' | 'schedule';

const words: Readonly<Record<Sample, string>> = {
  message: 'Send one to the built-in sink',
  failing: 'Send one that the built-in sink refuses',
  queued: 'Send one through a queue to the built-in sink',
  schedule: 'Send to the built-in sink every minute',
};

interface SinkProps {
  readonly sample: Sample;
  /** Called with the answer of the server. */
  readonly sent?: (answer: Sent) => void;
}

interface Sent {
  readonly messageId?: string;
}

export function SinkButton({ sample, sent }: SinkProps) {
  const { data } = useSession();
  const prefix = useHeaderPrefix();
  const change = useChange(
    () => send(sample, prefix),
    ['message', 'dlq', 'queue', 'schedule', 'sink'],
    sent,
  );
  if (data?.hasSink !== true) return null;
  return (
    <div className="mt-4">
      <Action
        icon={<FlaskConical className="size-4" />}
        disabled={change.isPending}
        onClick={() => change.mutate(undefined)}
      >
        {words[sample]}
      </Action>
      {change.error !== null && <Failure error={change.error} />}
    </div>
  );
}

function send(sample: Sample, prefix: string): Promise<Sent> {
  const sink = `${location.origin}/sink`;
  const type = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ hello: 'world' });
  switch (sample) {
    case 'message':
      return sendText(`/v2/publish/${sink}`, body, type);
    case 'failing':
      return sendText(`/v2/publish/${sink}/500`, body, { ...type, [`${prefix}Retries`]: '0' });
    case 'queued':
      return sendText(`/v2/enqueue/first/${sink}`, body, type);
    case 'schedule':
      return sendText(`/v2/schedules/${sink}`, body, { ...type, [`${prefix}Cron`]: '* * * * *' });
  }
}
