/** A run as a waterfall: a line for each step, with bars for when it ran, waited and failed. */
import { useState } from 'react';
import type { Bar, BarKind, Lane } from '../../../run-waterfall/lane.js';
import type { RunLanes } from '../../../run-waterfall/lanes.js';
import { SinceAxis } from '../charts/time-axis.tsx';
import { lookOf, StateShape } from '../parts/state-mark.tsx';
import { duration } from '../time/format.ts';
import { timeTicks } from '../time/ticks.ts';
import { LaneDetails } from './lane-details.tsx';
import type { LoggedRow } from './run-log.ts';

/** The time axis, in Unix ms. */
interface Scale {
  readonly from: number;
  readonly until: number;
  /** The moment shown; null = now. */
  readonly at: number | null;
}

interface WaterfallProps extends Scale {
  readonly runId: string;
  readonly run: RunLanes;
  readonly rows: readonly LoggedRow[];
}

const grid =
  'grid grid-cols-[minmax(0,9rem)_minmax(0,1fr)] gap-x-3 sm:grid-cols-[14rem_minmax(0,1fr)]';

export function Waterfall({ runId, run, rows, ...scale }: WaterfallProps) {
  const [open, setOpen] = useState<string | null>(null);
  return (
    <div>
      <div className={`${grid} border-b border-line px-3 py-1.5 text-xs text-muted`}>
        <span>Step</span>
        <SinceAxis from={scale.from} until={scale.until} />
      </div>
      <ol aria-label="Steps">
        {run.lanes.map((lane) => (
          <li key={lane.key} className="border-b border-line last:border-0">
            <button
              type="button"
              aria-expanded={open === lane.key}
              onClick={() => setOpen(open === lane.key ? null : lane.key)}
              className={`${grid} w-full items-center px-3 py-2 text-left -outline-offset-2 hover:bg-raised`}
            >
              <LaneName lane={lane} />
              <Track lane={lane} {...scale} />
            </button>
            {open === lane.key && (
              <LaneDetails {...{ runId, lane, rows }} until={scale.at ?? Number.MAX_VALUE} />
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

const typeWords: Readonly<Record<string, string>> = {
  Initial: 'start',
  SleepFor: 'sleep',
  SleepUntil: 'sleep',
  WaitForWebhook: 'webhook',
  FailureCallback: 'failure',
};

function LaneName({ lane: { name, type, state } }: { readonly lane: Lane }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <StateShape of={state} />
      <span className="min-w-0 flex-1 truncate" title={name}>
        {name}
      </span>
      <span className="sr-only">{lookOf(state).word}</span>
      <span className="text-xs text-muted max-sm:hidden">
        {typeWords[type] ?? type.toLowerCase()}
      </span>
    </span>
  );
}

/** How bars of a kind are drawn: their height out of 20, and whether they are dimmed. */
const shapes: Readonly<Record<BarKind, { readonly height: number; readonly isDotted?: true }>> = {
  attempt: { height: 16 },
  invoke: { height: 10 },
  sleep: { height: 6 },
  wait: { height: 6 },
  queued: { height: 4, isDotted: true },
  retry: { height: 4, isDotted: true },
  stored: { height: 16 },
};

const order: readonly BarKind[] = [
  'queued',
  'retry',
  'sleep',
  'wait',
  'invoke',
  'attempt',
  'stored',
];

function Track({ lane, from, until, at }: Scale & { readonly lane: Lane }) {
  const place = (time: number) => (until <= from ? 0 : (100 * (time - from)) / (until - from));
  const bars = lane.bars.toSorted((one, two) => order.indexOf(one.kind) - order.indexOf(two.kind));
  return (
    <svg
      role="img"
      aria-label={bars.map((bar) => saysOf(bar, from)).join('; ')}
      className="h-5 w-full overflow-visible"
    >
      {timeTicks(until - from).map((tick) => (
        <line
          key={tick}
          x1={`${place(from + tick)}%`}
          x2={`${place(from + tick)}%`}
          y1="-8"
          y2="28"
          className="stroke-line"
        />
      ))}
      {bars.map((bar) => (
        <BarShape
          key={`${bar.kind} ${bar.from} ${bar.outcome}`}
          bar={bar}
          says={saysOf(bar, from)}
          left={place(bar.from)}
          width={place(bar.until ?? at ?? until) - place(bar.from)}
        />
      ))}
      {at !== null && (
        <line
          x1={`${place(at)}%`}
          x2={`${place(at)}%`}
          y1="-8"
          y2="28"
          className="stroke-muted"
          strokeDasharray="2 2"
        />
      )}
    </svg>
  );
}

interface BarShapeProps {
  readonly bar: Bar;
  readonly says: string;
  /** Both in per cent of the track. */
  readonly left: number;
  readonly width: number;
}

function BarShape({ bar, says, left, width }: BarShapeProps) {
  const { kind, outcome, from, until } = bar;
  const { height, isDotted } = shapes[kind];
  const marks = {
    'data-kind': kind,
    'data-outcome': outcome,
    'data-from': from,
    'data-until': until ?? '',
  };
  if (kind === 'stored') {
    return (
      <circle cx={`${left}%`} cy="10" r="2.5" className="fill-surface stroke-ink" {...marks}>
        <title>{says}</title>
      </circle>
    );
  }
  return (
    <rect
      x={`${left}%`}
      y={10 - height / 2}
      height={height}
      rx={Math.min(3, height / 2)}
      style={{ width: `max(3px, ${width}%)` }}
      className={isDotted === true ? `${fillOf(bar)} opacity-50` : fillOf(bar)}
      {...marks}
    >
      <title>{says}</title>
    </rect>
  );
}

/** The colour of a bar's outcome; a waiting bar is never green. */
function fillOf({ kind, outcome }: Bar): string {
  if (outcome === 'canceled') return 'fill-idle-bar';
  if (kind === 'queued') return 'fill-idle-bar';
  if (kind === 'retry' || kind === 'sleep' || kind === 'wait') return 'fill-wait-bar';
  if (outcome === 'failed') return 'fill-bad-bar';
  return outcome === 'ok' ? 'fill-ok-bar' : 'fill-busy-bar';
}

const words: Readonly<Record<BarKind, string>> = {
  attempt: 'attempt',
  queued: 'waiting for delivery',
  retry: 'waits for its next attempt',
  sleep: 'sleeps',
  wait: 'waits for its event',
  invoke: 'waits for another run',
  stored: 'result stored',
};

function saysOf({ kind, from, until, outcome, error }: Bar, start: number): string {
  const ended = until === null ? 'running' : duration(until - from);
  const result = kind === 'attempt' && outcome !== 'open' ? `, ${outcome}` : '';
  const span = kind === 'stored' ? '' : `, ${ended}`;
  const why = error === undefined ? '' : `: ${error}`;
  return `${words[kind]} at +${duration(from - start)}${span}${result}${why}`;
}
