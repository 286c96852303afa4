/**
 * The common part of all requests that produce, whatever the form of their records, and the JSON of
 * their outcomes (topics.md 2.2).
 */
import { Inject, Injectable } from '@nestjs/common';
import { provided } from '../../engine/provided.js';
import { ok, Refusal, type Result } from '../../grammar/result.js';
import { type DurabilitySettings, durabilityOf } from '../../http/durability.js';
import { errorBody } from '../../http/error-shapes.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { Intake } from '../../http/intake.js';
import type { Exchange } from '../../http/routes/exchange.js';
import { JsonPieces } from '../records/json-pieces.js';
import { parseIdempotencyKey } from './idempotency.js';
import type { ProduceRecord } from './produce.request.js';
import { type ProduceOutcome, Producer, type ProduceSubmission } from './producer.js';
import type { ProduceResult } from './record-appender.js';

/** The records of a request, and whether valid records are stored even if others are refused. */
export interface ProduceRecords {
  readonly records: readonly (ProduceRecord | Refusal)[];
  readonly isPartial: boolean;
}

const jsonType = 'application/json; charset=utf-8';

/** Shared by all produce routes, which differ only in how they read records. */
@Injectable()
export class ProduceCalls {
  /** A GET can also produce, so the answer itself states its durability. */
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
   * Answers with JSON of an outcome for each record, with 207 if the request was partial; or
   * refuses, and then nothing of the request is stored unless the refusal says so.
   */
  carryOut(
    exchange: Exchange,
    records: Result<ProduceRecords>,
    textOf: (outcomes: readonly ProduceOutcome[]) => string | Buffer = outcomesText,
  ): void {
    const submission = this.submissionOf(exchange, records);
    if (submission instanceof Refusal) {
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
        if (outcomes instanceof Refusal) exchange.refuse(outcomes);
        else exchange.answer(submission.isPartial ? 207 : 200, this.headers, textOf(outcomes));
      },
      (error: unknown) => {
        this.intake.done(bytes);
        exchange.fail(error);
      },
    );
  }

  private submissionOf(
    { request, caller }: Exchange,
    records: Result<ProduceRecords>,
  ): ProduceSubmission | Refusal {
    if (!records.ok) return new Refusal('invalid', records.message);
    const key = request.headers['idempotency-key'];
    const known = key === undefined ? ok(null) : parseIdempotencyKey(String(key));
    if (!known.ok) return new Refusal('invalid', known.message);
    return {
      idempotencyKey: known.value,
      by: caller,
      judge: (topic) => this.basic.judgeRight(request, 'produce', topic),
      ...records.value,
    };
  }
}

const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const none = Buffer.alloc(0);

/**
 * Writes one JSON array. For a hundred records it costs half of `JSON.stringify`, because the
 * results of one append differ in only one number. A refusal in the array looks like a refusal on
 * its own.
 */
export function outcomesText(outcomes: readonly ProduceOutcome[]): string | Buffer {
  const [only] = outcomes;
  // A single result is returned as a string: only a string is sent in one piece with the head.
  if (outcomes.length === 1 && only !== undefined && !(only instanceof Refusal)) {
    const { topic, partition, offset, timestamp } = only;
    return JSON.stringify([{ topic, partition, offset, timestamp }]);
  }
  const json = new JsonPieces();
  let before: ProduceResult | null = null;
  let [start, end] = [none, none];
  json.writeByte(openBracket);
  for (const [index, outcome] of outcomes.entries()) {
    if (index > 0) json.writeByte(comma);
    if (outcome instanceof Refusal) {
      json.writeText(errorBody(false, outcome));
      continue;
    }
    const { topic, partition, offset, timestamp } = outcome;
    if (topic !== before?.topic || partition !== before.partition) {
      const name = JSON.stringify(topic);
      start = Buffer.from(`{"topic":${name},"partition":${partition},"offset":`);
    }
    if (timestamp !== before?.timestamp) end = Buffer.from(`,"timestamp":${timestamp}}`);
    before = outcome;
    json.write(start);
    json.writeNumber(offset);
    json.write(end);
  }
  json.writeByte(closeBracket);
  return json.toBuffer();
}
