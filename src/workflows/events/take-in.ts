/** New work waits in the intake, if that has a place for it, until it is done. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendRefusal } from '../../http/error-shapes.js';
import type { Intake } from '../../http/intake.js';
import { rawBody } from '../../http/routes/raw-body.js';

/** Answers what `work` answers, or why nothing is taken in now. */
export async function takeIn(
  intake: Intake,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { length } = rawBody(request);
  const refusal = intake.take(length);
  if (refusal !== null) return sendRefusal(request, reply, refusal);
  try {
    return await work();
  } finally {
    intake.done(length);
  }
}
