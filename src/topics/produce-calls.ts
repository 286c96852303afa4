/** What every request that produces has in common, whatever form its records come in. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BasicCredentials } from '../http/basic-auth.js';
import type { Durability } from '../http/durability.js';
import type { Refusal } from '../http/error-shapes.js';
import { type Parsed, parsed } from '../http/parsed.js';
import { rawBody } from '../http/raw-body.js';
import type { Intake } from '../lifecycle/intake.js';
import { parseIdempotencyKey } from './idempotency.js';
import type { ProduceRecord } from './produce.request.js';
import type { ProduceDesk, ProduceOutcome } from './produce-desk.js';

/** The records of a request, and whether the good ones of them are stored without the others. */
export interface Asked {
  readonly records: readonly (ProduceRecord | Refusal)[];
  readonly isPartial: boolean;
}

const jsonType = 'application/json; charset=utf-8';

export class ProduceCalls {
  constructor(
    private readonly desk: ProduceDesk,
    private readonly basic: BasicCredentials,
    private readonly intake: Intake,
    private readonly durability: Durability,
  ) {}

  /** An outcome for each record, or why nothing of the request was stored. */
  async produce(
    request: FastifyRequest,
    asked: Parsed<Asked>,
  ): Promise<readonly ProduceOutcome[] | Refusal> {
    if (!asked.ok) return { status: 400, message: asked.reason };
    const key = request.raw.headers['idempotency-key'];
    const known = key === undefined ? parsed(null) : parseIdempotencyKey(String(key));
    if (!known.ok) return { status: 400, message: known.reason };
    const bytes = request.url.length + rawBody(request).length;
    const refusal = this.intake.take(bytes);
    if (refusal !== null) return refusal;
    return this.desk
      .produce({
        ...asked.value,
        idempotencyKey: known.value,
        judge: (topic) => this.basic.judgeRight(request.raw, 'produce', topic),
      })
      .finally(() => this.intake.done(bytes));
  }

  /** Sends JSON, and says how durable it is: GET produces too. */
  answer(reply: FastifyReply, json: string | Buffer): FastifyReply {
    return reply
      .header('content-type', jsonType)
      .header('stepwell-durability', this.durability)
      .send(json);
  }
}
