/** How far back a page of the past looks: the choice, and its meaning. */
import { now } from '../time/clock.ts';

/** One choice of how far back. */
export interface PastSpan {
  /** The value in the address. */
  readonly value: string;
  readonly word: string;
  /** The time of one column: as a duration of the API (messaging.md 3.2), and in ms. */
  readonly step: string;
  readonly stepMs: number;
  /** The whole span, in ms. */
  readonly ms: number;
}

const minuteMs = 60_000;

const last: PastSpan = {
  value: '1h',
  word: 'last hour',
  step: '1m',
  stepMs: minuteMs,
  ms: 60 * minuteMs,
};

/** In the order of the choice. */
const spans: readonly PastSpan[] = [
  last,
  { value: '6h', word: 'last 6 hours', step: '5m', stepMs: 5 * minuteMs, ms: 360 * minuteMs },
  { value: '1d', word: 'last day', step: '15m', stepMs: 15 * minuteMs, ms: 1440 * minuteMs },
  { value: '7d', word: 'last 7 days', step: '2h', stepMs: 120 * minuteMs, ms: 10_080 * minuteMs },
  { value: '30d', word: 'last 30 days', step: '8h', stepMs: 480 * minuteMs, ms: 43_200 * minuteMs },
];

/** The span of an address; the last hour if it has none. */
export function spanOf(value: string | undefined): PastSpan {
  return spans.find((span) => span.value === value) ?? last;
}

/** The start of a span's columns at present, in Unix ms: at a whole step. */
export function beginOf({ ms, stepMs }: PastSpan): number {
  return Math.ceil((now() - ms) / stepMs) * stepMs;
}

/** `choose` gets the `value` of a span. */
export function SpanChoice({
  span,
  choose,
}: {
  readonly span: PastSpan;
  readonly choose: (value: string) => void;
}) {
  return (
    <select
      aria-label="Span"
      value={span.value}
      onChange={(event) => choose(event.target.value)}
      className="rounded-md border border-control bg-surface px-2 py-0.5 text-ink"
    >
      {spans.map(({ value, word }) => (
        <option key={value} value={value}>
          {word}
        </option>
      ))}
    </select>
  );
}
