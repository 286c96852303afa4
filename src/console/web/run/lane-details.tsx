/**
 * What the log says about one step: its result, its attempts and their answers, with complete
 * bodies.
 */
import { Link } from '@tanstack/react-router';
import type { Lane } from '../../../run-waterfall/lane.js';
import { AnyBody, Body } from '../bodies/body.tsx';
import { Facts } from '../parts/facts.tsx';
import { State } from '../parts/state-mark.tsx';
import { Failure, Skeleton } from '../parts/states.tsx';
import { duration, exact } from '../time/format.ts';
import { LogTime } from '../time/time.tsx';
import { type LoggedRow, useWholeRows } from './run-log.ts';

interface LaneDetailsProps {
  readonly runId: string;
  readonly lane: Lane;
  readonly rows: readonly LoggedRow[];
  /** Later rows are not shown; in Unix ms. */
  readonly until: number;
}

/** What had happened by `until`, in Unix ms; `rows` are those of the page, whose bodies are cut. */
export function LaneDetails({ runId, lane, rows, until }: LaneDetailsProps) {
  const { name, type, messageIds } = lane;
  const whole = useWholeRows(runId, messageIds);
  const isOwn = ({ stepInfo }: LoggedRow) =>
    stepInfo?.stepName === name && stepInfo.stepType === type;
  const known = (whole.data?.events ?? []).filter(({ time }) => time <= until);
  const own = [...known, ...rows].filter(isOwn);
  const info: StepInfo = Object.assign({}, ...own.map(({ stepInfo }) => stepInfo));
  const result = own.find(({ stepInfo }) => stepInfo?.out !== undefined)?.stepInfo?.out;
  return (
    <div className="border-t border-line bg-ground px-3 py-2">
      {whole.isLoading && <Skeleton lines={2} />}
      {whole.error !== null && <Failure error={whole.error} retry={() => whole.refetch()} />}
      <StepFacts info={info} />
      {result !== undefined && (
        <section className="mb-3">
          <h3 className="mb-1 font-medium">{type === 'Initial' ? 'Payload' : 'Result'}</h3>
          <Body text={type.startsWith('Wait') ? textOf(result) : result} />
        </section>
      )}
      {info.callBody !== undefined && info.callBody !== '' && (
        <section className="mb-3">
          <h3 className="mb-1 font-medium">Body of the call</h3>
          <Body text={info.callBody} />
        </section>
      )}
      <Happenings step={name} rows={known.toSorted((one, other) => one.time - other.time)} />
    </div>
  );
}

type StepInfo = Partial<NonNullable<LoggedRow['stepInfo']>>;

/** Data of events is base64, as it may not be text. */
function textOf(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    return base64;
  }
}

function StepFacts({ info }: { readonly info: StepInfo }) {
  const { callMethod, callUrl, waitTimeoutDeadline, invokedWorkflowRunId: child } = info;
  const until = info.sleepUntil;
  const facts = {
    Calls: callUrl === undefined ? undefined : `${callMethod ?? 'GET'} ${callUrl}`,
    Answered: info.callResponseStatus,
    'Sleeps for': info.sleepFor === undefined ? undefined : duration(info.sleepFor * 1000),
    'Sleeps until': until === undefined ? undefined : exact(until * 1000),
    Event: info.waitEventId,
    'Times out': waitTimeoutDeadline === undefined ? undefined : exact(waitTimeoutDeadline),
    'Timed out': info.waitTimeout === true ? 'yes' : undefined,
    Run: child === undefined ? undefined : <RunLink id={child} />,
  };
  if (Object.values(facts).every((value) => value === undefined)) return null;
  return <Facts of={facts} />;
}

/** A link to the page of a run, with its full id. */
export function RunLink({ id }: { readonly id: string }) {
  return (
    <Link to="/workflows/$id" params={{ id }} className="break-all text-accent hover:underline">
      {id}
    </Link>
  );
}

/**
 * The rows of the step's deliveries, each with its answer. A delivery carries the result of the
 * step before it.
 */
function Happenings({
  step,
  rows,
}: {
  readonly step: string;
  readonly rows: readonly LoggedRow[];
}) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h3 className="mb-1 font-medium">Log</h3>
      <ul>
        {rows.map((row) => {
          const { time, state, stepInfo, error, responseStatus } = row;
          const before = stepInfo?.stepName === step ? undefined : stepInfo?.stepName;
          const answer =
            error ?? (responseStatus === undefined ? '' : `answered ${responseStatus}`);
          return (
            <li
              key={`${stepInfo?.messageId} ${time} ${state}`}
              className="grid gap-x-3 items-start border-t border-line py-1.5 first:border-0 sm:grid-cols-[8rem_7rem_minmax(0,1fr)]"
            >
              <LogTime at={time} />
              <State of={state} />
              <div className="min-w-0">
                {before !== undefined && (
                  <span className="mr-2">
                    delivery after <bdi>{before}</bdi>
                  </span>
                )}
                {answer !== '' && <span className="text-muted">{answer}</span>}
                {error !== undefined && (
                  <div className="mt-1">
                    <AnyBody text={row.responseBody} base64={row.responseBodyBase64} />
                  </div>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
