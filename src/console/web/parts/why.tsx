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

/** Counts down while `until` is in the future. */
export function WhyLine({ why }: { readonly why: WhyAnswer }) {
  const now = useNow();
  return (
    <p className="mb-4 rounded-lg border border-line bg-surface px-3 py-2.5 wrap-anywhere">
      <strong className="mr-1.5">Why:</strong>
      {why.until === undefined ? (
        why.sentence
      ) : (
        <>
          {why.sentence.replace(/\.$/, '')}
          <span title={exact(why.until)}> ({relative(why.until, now)})</span>.
        </>
      )}
      {why.remedy !== undefined && <span className="mt-1 block text-muted">{why.remedy}</span>}
    </p>
  );
}
