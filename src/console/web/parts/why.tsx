/** Why something waits, in the server's words: until when, and what can be done. */
import { useNow } from '../time/clock.ts';
import { exact, relative } from '../time/format.ts';

/** The fields of a `Why` of the API that pages use. */
export interface WhyAnswer {
  readonly sentence: string;
  /** In Unix ms. */
  readonly until?: number | undefined;
  readonly remedy?: string | undefined;
}

/** A time in a sentence of the server: UTC, to the second. */
const utcTime = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)/;

/** Its times are in the browser's zone, as all others; each counts down while it is to come. */
export function WhyLine({ why: { sentence, until, remedy } }: { readonly why: WhyAnswer }) {
  const now = useNow();
  const parts = sentence.split(utcTime);
  const isUntilSaid = until === undefined || parts.length > 1;
  return (
    <p className="mb-4 rounded-lg border border-line bg-surface px-3 py-2.5 wrap-anywhere">
      <strong className="mr-1.5">Why:</strong>
      {isUntilSaid ? (
        parts.map((part) => (utcTime.test(part) ? localText(Date.parse(part), now) : part)).join('')
      ) : (
        <>
          {sentence.replace(/\.$/, '')}
          <span title={exact(until)}> ({relative(until, now)})</span>.
        </>
      )}
      {remedy !== undefined && <span className="mt-1 block text-muted">{remedy}</span>}
    </p>
  );
}

/** `2026-11-30 20:02:15 (in 23 h)`. */
const localText = (at: number, now: number) => `${exact(at).slice(0, 19)} (${relative(at, now)})`;
