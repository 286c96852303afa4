/** The life of a message as bars, and the answers to its attempts. */
import { useState } from 'react';
import { headerText } from '../../../grammar/headers.js';
import { AnyBody } from '../bodies/body.tsx';
import { SinceAxis } from '../charts/time-axis.tsx';
import { Bars } from '../charts/time-bars.tsx';
import { Facts } from '../parts/facts.tsx';
import { Panel } from '../parts/page.tsx';
import { State } from '../parts/state-mark.tsx';
import { Failure, Skeleton } from '../parts/states.tsx';
import { duration, exact } from '../time/format.ts';
import { LogTime } from '../time/time.tsx';
import { useAnswer } from './load-message.ts';
import { type LifeAttempt, type LifeRow, lifeOf } from './message-life.ts';

interface AttemptsProps {
  readonly messageId: string;
  /** The rows up to the moment shown. */
  readonly rows: readonly LifeRow[];
  /** That moment, in Unix ms. */
  readonly at: number;
  /** The end of the scale, in Unix ms; it does not change when the moment does. */
  readonly until: number;
}

export function Attempts({ messageId, rows, at, until }: AttemptsProps) {
  const life = lifeOf(rows, at);
  const scale = { from: life.from, until: Math.max(until, life.until) };
  return (
    <>
      <Panel title="Life" aside={duration(life.until - life.from)}>
        <div className="px-3 py-2.5">
          <SinceAxis from={scale.from} until={scale.until} />
          <div className="mt-1.5">
            <Bars bars={life.bars} scale={scale} />
          </div>
        </div>
      </Panel>
      <Panel title="Attempts" aside={life.attempts.length}>
        {life.attempts.length === 0 && <p className="p-3 text-muted">None yet.</p>}
        {life.attempts.toReversed().map((attempt) => (
          <AttemptRow key={attempt.number} {...{ messageId, attempt }} />
        ))}
      </Panel>
    </>
  );
}

interface AttemptProps {
  readonly messageId: string;
  readonly attempt: LifeAttempt;
}

function AttemptRow({ messageId, attempt }: AttemptProps) {
  const { number, startedAt, endedAt, row } = attempt;
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="border-b border-line last:border-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2 text-left hover:bg-raised"
      >
        <span className="w-6 text-muted">{number}</span>
        <span className="w-24">
          <State of={row.state} />
        </span>
        <span className="min-w-0 flex-1 break-words">
          {row.error ?? row.responseStatus ?? 'waiting for the answer'}
        </span>
        <span className="text-muted max-sm:hidden">
          <LogTime at={startedAt} />
        </span>
        <span className="w-16 text-right text-muted">
          {endedAt === null ? '' : duration(row.durationMs ?? endedAt - startedAt)}
        </span>
      </button>
      {isOpen && <AttemptDetails {...{ messageId, attempt }} />}
    </div>
  );
}

function AttemptDetails({ messageId, attempt }: AttemptProps) {
  const { number, startedAt, endedAt, row } = attempt;
  const { data: answer, isLoading, error, refetch } = useAnswer(messageId, number, endedAt);
  const headers = Object.entries(row.responseHeader ?? {});
  return (
    <div className="border-t border-line bg-ground p-3">
      <Facts
        of={[
          ['Began', exact(startedAt)],
          ['Ended', endedAt === null ? 'not yet' : exact(endedAt)],
          ['Status', row.responseStatus],
          ...headers.map(([name, values]): [string, string] => [
            name,
            headerText(values.join(', ')),
          ]),
        ]}
      />
      {isLoading && <Skeleton lines={1} />}
      {error !== null && <Failure error={error} retry={() => refetch()} />}
      <AnyBody text={answer?.responseBody} base64={answer?.responseBodyBase64} />
    </div>
  );
}
