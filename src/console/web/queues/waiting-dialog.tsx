/** The messages that wait in a queue or for a flow-control key, in the order of the line. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Dialog } from '../parts/dialog.tsx';
import { State } from '../parts/state-mark.tsx';
import { Loaded } from '../parts/states.tsx';
import { count, exact } from '../time/format.ts';
import { Time } from '../time/time.tsx';

/** What the messages wait for. */
export interface WaitingLine {
  readonly of: 'queue' | 'flow';
  readonly name: string;
}

interface Waiting {
  /** How many messages wait in all. */
  readonly size: number;
  readonly first: readonly {
    readonly messageId: string;
    readonly state: string;
    readonly since?: number;
    readonly nextDeliveryTime?: number;
  }[];
}

const shownMax = 50;

async function loadWaiting({ of, name }: WaitingLine): Promise<Waiting> {
  const query = { count: shownMax };
  if (of === 'queue') {
    const params = { path: { name }, query };
    const { lag, waiting } = await ask(api.GET('/v2/queues/{name}/waiting', { params }));
    return { size: lag, first: waiting };
  }
  const params = { path: { key: name }, query };
  const answer = await ask(api.GET('/v2/flowControl/{key}/waiting', { params }));
  return { size: answer.waitListSize, first: answer.waiting };
}

/** The number of waiting messages, as a button that shows them. */
export function WaitingButton({
  line,
  size,
}: {
  readonly line: WaitingLine;
  readonly size: number;
}) {
  const [isOpen, setOpen] = useState(false);
  if (size === 0) return <span>0</span>;
  return (
    <>
      <button
        type="button"
        aria-label={`${count(size)}: messages waiting in ${line.name}`}
        title="Waiting messages, in order"
        onClick={() => setOpen(true)}
        className="text-accent hover:underline"
      >
        {count(size)}
      </button>
      {isOpen && <WaitingDialog line={line} close={() => setOpen(false)} />}
    </>
  );
}

function WaitingDialog({
  line,
  close,
}: {
  readonly line: WaitingLine;
  readonly close: () => void;
}) {
  const query = useQuery({
    queryKey: [line.of, 'waiting', line.name],
    queryFn: () => loadWaiting(line),
  });
  return (
    <Dialog title={`Waiting in ${line.name}`} close={close}>
      <Loaded query={query} lines={4}>
        {({ size, first }) => (
          <>
            {first.length === 0 && <p className="text-muted">Nothing waits.</p>}
            <ol aria-label="The line" className="text-left">
              {first.map(({ messageId, state, since, nextDeliveryTime }, index) => (
                <li
                  key={messageId}
                  className="flex flex-wrap items-center gap-x-4 border-b border-line py-1.5 last:border-0"
                >
                  <span className="w-8 text-right text-muted">{index + 1}</span>
                  <span className="w-24">
                    <State of={state} />
                  </span>
                  <Link
                    to="/messages/$id"
                    params={{ id: messageId }}
                    className="min-w-0 flex-1 truncate font-mono text-xs text-accent hover:underline"
                  >
                    {messageId}
                  </Link>
                  {since !== undefined ? (
                    <span>
                      since <Time at={since} />
                    </span>
                  ) : (
                    nextDeliveryTime !== undefined && (
                      <span title={exact(nextDeliveryTime)}>
                        due <Time at={nextDeliveryTime} />
                      </span>
                    )
                  )}
                </li>
              ))}
            </ol>
            {size > first.length && first.length > 0 && (
              <p className="mt-3 text-left text-muted">
                These are the first {count(first.length)} of {count(size)}.
              </p>
            )}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
