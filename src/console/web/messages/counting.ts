/**
 * When messages are counted: once their rows are there, as a count may go through 200,000 rows of
 * the log, and the server answers one look after the other. The longer a count took, the longer it
 * is until the next one.
 */
import { now } from '../time/clock.ts';

/** A count needs not be newer than this. */
const againMs = 5000;
/** Beside a server that takes long, counting has a twentieth of the time. */
const pauses = 20;

/** What `pause` goes by. */
export interface Timed {
  /** How long the server took to answer, in milliseconds. */
  readonly tookMs: number;
}

/** What was counted, and how long it took. */
export async function timed<Counted extends object>(
  counting: Promise<Counted>,
): Promise<Counted & Timed> {
  const began = now();
  const counted = await counting;
  return { ...counted, tookMs: now() - began };
}

/** For `refetchInterval`: how long it is until it is counted again. */
export function pause({
  state,
}: {
  readonly state: { readonly data?: Timed | undefined };
}): number {
  return Math.max(againMs, (state.data?.tookMs ?? 0) * pauses);
}
