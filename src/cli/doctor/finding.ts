/** What one check has found. */

/** `bad`: the server will not work so; `warn`: it will, and something is not as it should be. */
export type FindingLevel = 'ok' | 'warn' | 'bad';

/** A line of what `stepwell doctor` prints. */
export interface Finding {
  /** What was looked at, in a word. */
  readonly check: string;
  readonly verdict: FindingLevel;
  readonly said: string;
}

/** A finding after which nothing has to be done. */
export const fine = (check: string, said: string): Finding => ({ check, verdict: 'ok', said });
/** A finding with which a server works, and which an operator should look at. */
export const doubt = (check: string, said: string): Finding => ({ check, verdict: 'warn', said });
/** A finding with which a server does not work. */
export const wrong = (check: string, said: string): Finding => ({ check, verdict: 'bad', said });
