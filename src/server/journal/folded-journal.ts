/** Memory as it was at an offset: the events below it, folded by a separate engine. */
import type { Journal } from '../../engine/journal.js';
import type { ProductFolding } from '../history/product-folding.js';

/** The result of folding. */
export interface FoldedPart {
  readonly events: number;
  /** When the last event happened, in Unix ms; null if there was none. */
  readonly lastAt: number | null;
}

/**
 * Folds [from, until) into `folding`; the journal must decode with its codec. `throwIfStopped` is
 * called for each part that was read, and may throw. Throws `BrokenStream`.
 */
export async function foldJournal(
  { engine }: ProductFolding,
  journal: Journal,
  until: number,
  throwIfStopped: (events: number) => void = () => undefined,
  from: number = journal.startOffset,
): Promise<FoldedPart> {
  let events = 0;
  let lastAt: number | null = null;
  for await (const envelopes of journal.replay(from)) {
    const isLast = (envelopes.at(-1)?.offset ?? 0) >= until;
    // Reads return whole batches, so events outside of the range are removed.
    const isFirst = (envelopes[0]?.offset ?? from) < from;
    const wanted =
      isFirst || isLast
        ? envelopes.filter(({ offset }) => offset >= from && offset < until)
        : envelopes;
    engine.replay(wanted);
    events += wanted.length;
    lastAt = wanted.at(-1)?.at ?? lastAt;
    throwIfStopped(events);
    if (isLast) break;
  }
  return { events, lastAt };
}
