/** The outcome of something that was tried: a value, or a refusal. */

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
 * An expected refusal: a value, never an exception. The same type is used from the grammar or
 * decider that finds the reason to the wire, so that nothing in between has to convert it.
 */
export class Refusal {
  /** Distinguishes a refusal from the success of a `Result`. */
  readonly ok = false;

  /**
   * `message` is one sentence for the caller; a message from a grammar needs the name of what was
   * parsed before it (`of`). Names of `headers` are in lower case. `details` are for programs and
   * shown beside the sentence, except in the messages and workflows interface.
   */
  constructor(
    readonly code: RefusalCode,
    readonly message: string,
    readonly headers?: Readonly<Record<string, string>>,
    readonly details?: Readonly<Record<string, string | number | null>>,
  ) {}

  /** The same refusal with `subject` before its message: "the queue name", "`Svc-Delay`". */
  of(subject: string): Refusal {
    return this.saying(`${subject} ${this.message}`);
  }

  /** The same refusal with another message. */
  saying(message: string): Refusal {
    return new Refusal(this.code, message, this.headers, this.details);
  }
}

/** The value of a success. */
export interface Success<Value> {
  readonly ok: true;
  readonly value: Value;
}

/** A success or a refusal. */
export type Result<Value> = Success<Value> | Refusal;

/** A success with this value. */
export function ok<Value>(value: Value): Success<Value> {
  return { ok: true, value };
}

/** Refuses a text that is not in the grammar; `message` completes the sentence "`<header>` ...". */
export function refused(message: string): Refusal {
  return new Refusal('invalid', message);
}
