/** What every request that produces has in common, whatever form its records come in. */

import { type Parsed, parsed } from '../../grammar/parsed.js';
import type { Durability } from '../../http/durability.js';
import type { Refusal } from '../../http/error-shapes.js';
import type { BasicCredentials } from '../../http/identity/basic-auth.js';
import type { Intake } from '../../http/intake.js';
import type { Exchange } from '../../http/routes/exchange.js';
import { parseIdempotencyKey } from './idempotency.js';
import type { ProduceRecord } from './produce.request.js';
import type { ProduceOrder, ProduceOutcome, Producer } from './producer.js';

/** The records of a request, and whether the good ones of them are stored without the others. */
export interface Asked {
  readonly records: readonly (ProduceRecord | Refusal)[];
  readonly isPartial: boolean;
}

const jsonType = 'application/json; charset=utf-8';

export class ProduceCalls {
  /** GET produces too, so the answer says itself how durable it is. */
  private readonly headers: readonly string[];

  constructor(
    private readonly producer: Producer,
    private readonly basic: BasicCredentials,
    private readonly intake: Intake,
    durability: Durability,
  ) {
    this.headers = ['content-type', jsonType, 'stepwell-durability', durability];
  }

  /**
   * Answers with JSON of an outcome for each record, and with 207 where only the good ones of them
   * were to be stored; or refuses, and nothing of the request was stored.
   */
  carryOut(
    exchange: Exchange,
    asked: Parsed<Asked>,
    tell: (outcomes: readonly ProduceOutcome[]) => string | Buffer,
  ): void {
    const order = this.orderOf(exchange, asked);
    if ('status' in order) {
      exchange.refuse(order);
      return;
    }
    const bytes = exchange.target.length + exchange.body.length;
    const refusal = this.intake.take(bytes);
    if (refusal !== null) {
      exchange.refuse(refusal);
      return;
    }
    void this.producer.produce(order).then(
      (outcomes) => {
        this.intake.done(bytes);
        if ('status' in outcomes) exchange.refuse(outcomes);
        else exchange.answer(order.isPartial ? 207 : 200, this.headers, tell(outcomes));
      },
      (error: unknown) => {
        this.intake.done(bytes);
        exchange.fail(error);
      },
    );
  }

  private orderOf({ request }: Exchange, asked: Parsed<Asked>): ProduceOrder | Refusal {
    if (!asked.ok) return { status: 400, message: asked.reason };
    const key = request.headers['idempotency-key'];
    const known = key === undefined ? parsed(null) : parseIdempotencyKey(String(key));
    if (!known.ok) return { status: 400, message: known.reason };
    return {
      ...asked.value,
      idempotencyKey: known.value,
      judge: (topic) => this.basic.judgeRight(request, 'produce', topic),
    };
  }
}
