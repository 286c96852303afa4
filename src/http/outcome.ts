/** What became of something, for routes and controllers: the value, or the refusal thrown. */
import { Refusal, type Result } from '../grammar/result.js';
import { RefusalError } from './error-shapes.js';

/** The value of what succeeded. Throws the refusal. */
export function valueIn<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw new RefusalError(result);
}

/** What was looked for. Throws that `name` was not found where there is none. */
export function foundIn<Value>(value: Value | null | undefined, name: string): Value {
  if (value !== null && value !== undefined) return value;
  throw new RefusalError(new Refusal('not_found', `${name} not found`));
}

/** Throws a refusal; for nothing to refuse, nothing. */
export function refuseIf(refusal: Refusal | null | undefined): void {
  if (refusal !== undefined && refusal !== null) throw new RefusalError(refusal);
}

/** What was answered, where it was not refused. Throws the refusal. */
export function answerIn<Answer>(answered: Answer | Refusal): Answer {
  if (answered instanceof Refusal) throw new RefusalError(answered);
  return answered;
}
