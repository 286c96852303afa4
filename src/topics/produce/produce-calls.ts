/** What every request that produces has in common, whatever form its records come in. */
import { Inject, Injectable } from '@nestjs/common';
import { provided } from '../../engine/provided.js';
import { type Parsed, parsed } from '../../grammar/parsed.js';
import { type DurabilitySettings, durabilityOf } from '../../http/durability.js';
import type { Refusal } from '../../http/error-shapes.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { Intake } from '../../http/intake.js';
import type { Exchange } from '../../http/routes/exchange.js';
import { parseIdempotencyKey } from './idempotency.js';
import type { ProduceRecord } from './produce.request.js';
import { type ProduceOutcome, Producer, type ProduceSubmission } from './producer.js';

/** The records of a request, and whether the good ones of them are stored without the others. */
export interface ProduceRecords {
  readonly records: readonly (ProduceRecord | Refusal)[];
  readonly isPartial: boolean;
}

const jsonType = 'application/json; charset=utf-8';

@Injectable()
export class ProduceCalls {
  /** GET produces too, so the answer says itself how durable it is. */
  private readonly headers: readonly string[];

  constructor(
    private readonly producer: Producer,
    private readonly basic: BasicCredentials,
    private readonly intake: Intake,
    @Inject(provided.config) config: DurabilitySettings,
  ) {
    this.headers = ['content-type', jsonType, 'stepwell-durability', durabilityOf(config)];
  }

  /**
   * Answers with JSON of an outcome for each record, and with 207 where only the good ones of them
   * were to be stored; or refuses, and nothing of the request was stored.
   */
  carryOut(
    exchange: Exchange,
    records: Parsed<ProduceRecords>,
    textOf: (outcomes: readonly ProduceOutcome[]) => string | Buffer,
  ): void {
    const submission = this.submissionOf(exchange, records);
    if ('status' in submission) {
      exchange.refuse(submission);
      return;
    }
    const bytes = exchange.target.length + exchange.body.length;
    const refusal = this.intake.take(bytes);
    if (refusal !== null) {
      exchange.refuse(refusal);
      return;
    }
    void this.producer.produce(submission).then(
      (outcomes) => {
        this.intake.done(bytes);
        if ('status' in outcomes) exchange.refuse(outcomes);
        else exchange.answer(submission.isPartial ? 207 : 200, this.headers, textOf(outcomes));
      },
      (error: unknown) => {
        this.intake.done(bytes);
        exchange.fail(error);
      },
    );
  }

  private submissionOf(
    { request }: Exchange,
    records: Parsed<ProduceRecords>,
  ): ProduceSubmission | Refusal {
    if (!records.ok) return { status: 400, message: records.reason };
    const key = request.headers['idempotency-key'];
    const known = key === undefined ? parsed(null) : parseIdempotencyKey(String(key));
    if (!known.ok) return { status: 400, message: known.reason };
    return {
      ...records.value,
      idempotencyKey: known.value,
      judge: (topic) => this.basic.judgeRight(request, 'produce', topic),
    };
  }
}
