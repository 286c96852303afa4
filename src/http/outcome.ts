/**
 * What became of a command or a text, for controllers: the result, or the refusal thrown to the
 * error filter.
 */
import { BadRequestException, HttpException } from '@nestjs/common';
import type { Outcome } from '../engine/turn.js';
import type { Parsed } from '../grammar/parsed.js';
import { isRefusal, type Refusal, RefusedRequest, refusalOf } from './error-shapes.js';

/** The result of an accepted command. Throws the rejection of a refused one as its status. */
export function resultOf<Result>(outcome: Outcome<Result> | undefined): Result {
  if (outcome === undefined) throw new Error('a command without an outcome');
  if (outcome.accepted) return outcome.result;
  const { message, status } = refusalOf(outcome.rejection);
  throw new HttpException(message, status);
}

/** What a text meant. Throws why it was refused as status 400. */
export function valueIn<Value>(parsed: Parsed<Value>): Value {
  if (parsed.ok) return parsed.value;
  throw new BadRequestException(parsed.reason);
}

/** Throws a refusal; for nothing to refuse, nothing. */
export function refuseIf(refusal: Refusal | null | undefined): void {
  if (refusal !== undefined && refusal !== null) throw new RefusedRequest(refusal);
}

/** What was answered, where it was not refused. Throws the refusal. */
export function answerIn<Answer extends object>(answered: Answer | Refusal): Answer {
  if (isRefusal(answered)) throw new RefusedRequest(answered);
  return answered;
}
