/** What one check has found. */

/** `bad`: the server will not work so; `warn`: it will, and something is not as it should be. */
export type Verdict = 'ok' | 'warn' | 'bad';

/** A line of what `stepwell doctor` prints. */
export interface Finding {
  /** What was looked at, in a word. */
  readonly check: string;
  readonly verdict: Verdict;
  readonly said: string;
}

/** Nothing has to be done. */
export const fine = (check: string, said: string): Finding => ({ check, verdict: 'ok', said });
/** A server works, and something should be looked at. */
export const doubt = (check: string, said: string): Finding => ({ check, verdict: 'warn', said });
/** A server does not work so. */
export const wrong = (check: string, said: string): Finding => ({ check, verdict: 'bad', said });
