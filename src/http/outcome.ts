/** Unwraps results for routes and controllers: returns the value, or throws the refusal. */
import { Refusal, type Result } from '../grammar/result.js';
import { RefusalError } from './error-shapes.js';

/** The value of a successful result. Throws the refusal. */
export function valueIn<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw new RefusalError(result);
}

/** The value that was found. Throws that `name` was not found if there is none. */
export function foundIn<Value>(value: Value | null | undefined, name: string): Value {
  if (value !== null && value !== undefined) return value;
  throw new RefusalError(new Refusal('not_found', `${name} not found`));
}

/** Throws the refusal, if there is one. */
export function refuseIf(refusal: Refusal | null | undefined): void {
  if (refusal !== undefined && refusal !== null) throw new RefusalError(refusal);
}

/** The answer, if it is not a refusal. Throws the refusal. */
export function answerIn<Answer>(answered: Answer | Refusal): Answer {
  if (answered instanceof Refusal) throw new RefusalError(answered);
  return answered;
}
