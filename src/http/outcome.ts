/**
 * What became of a command, for controllers: its result, or the refusal thrown to the error filter.
 */
import { HttpException } from '@nestjs/common';
import type { Outcome } from '../engine/turn.js';
import { refusalOf } from './error-shapes.js';

/** The result of an accepted command. Throws the rejection of a refused one as its status. */
export function resultOf<Result>(outcome: Outcome | undefined): Result {
  if (outcome === undefined) throw new Error('a command without an outcome');
  if (outcome.accepted) return outcome.result as Result;
  const { message, status } = refusalOf(outcome.rejection);
  throw new HttpException(message, status);
}
