/** The result of one check. */

/**
 * `bad`: the server will not work like this; `warn`: it will, but something is not as it should be.
 */
export type FindingLevel = 'ok' | 'warn' | 'bad';

/** One line of the output of `stepwell doctor`. */
export interface Finding {
  /** What was checked, in a word. */
  readonly check: string;
  readonly verdict: FindingLevel;
  readonly said: string;
}

/** A finding that requires no action. */
export const fine = (check: string, said: string): Finding => ({ check, verdict: 'ok', said });
/** A finding that an operator should look at, although a server works with it. */
export const doubt = (check: string, said: string): Finding => ({ check, verdict: 'warn', said });
/** A finding that prevents a server from working. */
export const wrong = (check: string, said: string): Finding => ({ check, verdict: 'bad', said });
