/** What became of something that was tried: a value, or why it is refused. */

/** Why something is refused. */
export type RefusalCode =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'wrong_method'
  | 'timed_out'
  | 'conflict'
  | 'over_limit'
  | 'unprocessable'
  | 'too_large'
  | 'too_long'
  | 'out_of_range'
  | 'head_too_large'
  | 'too_often'
  | 'failed'
  | 'unavailable'
  | 'disk_full';

/**
 * An expected refusal: a value, never an exception. It is the only kind there is, from the grammar
 * or the decider that notices it to the wire, so that nothing on its way changes its shape.
 */
export class Refusal {
  /** Distinguishes it from the success of a `Result`. */
  readonly ok = false;

  /**
   * `message` is one sentence for the caller; that of a grammar completes one that begins with the
   * name of what was read (`of`). Names of `headers` are in lower case. `details` are for programs
   * and stand beside the sentence, except in the messages and workflows interface.
   */
  constructor(
    readonly code: RefusalCode,
    readonly message: string,
    readonly headers?: Readonly<Record<string, string>>,
    readonly details?: Readonly<Record<string, string | number | null>>,
  ) {}

  /** The same refusal, said of `subject`: "the queue name", "`Svc-Delay`". */
  of(subject: string): Refusal {
    return this.saying(`${subject} ${this.message}`);
  }

  /** The same refusal in other words. */
  saying(message: string): Refusal {
    return new Refusal(this.code, message, this.headers, this.details);
  }
}

/** The value of what succeeded. */
export interface Success<Value> {
  readonly ok: true;
  readonly value: Value;
}

/** What was tried has succeeded, or is refused. */
export type Result<Value> = Success<Value> | Refusal;

/** It has succeeded, with this value. */
export function ok<Value>(value: Value): Success<Value> {
  return { ok: true, value };
}

/** A text is not in the grammar; `message` completes the sentence "`<header>` ...". */
export function refused(message: string): Refusal {
  return new Refusal('invalid', message);
}
