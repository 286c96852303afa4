/** `/webhook`: whatever a sender posts becomes one record, as it is (topics.md 2.3). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Parsed, parsed, refused } from '../../grammar/parsed.js';
import type { Refusal } from '../../http/error-shapes.js';
import { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { topicRoutes } from '../records/topics.openapi.js';
import { outcomesText } from './outcomes-text.js';
import { keyOf, type ProduceRecord, sizedRecord } from './produce.request.js';
import type { ProduceCalls } from './produce-calls.js';
import { webhookHeaders } from './webhook-headers.js';

export class WebhookRoutes implements HotRoutes {
  /** `recordBytesMax` is of one record's key, value and headers. */
  constructor(
    private readonly calls: ProduceCalls,
    private readonly recordBytesMax: number,
  ) {}

  register(fastify: FastifyInstance): void {
    fastify.route({
      method: ['GET', 'POST'],
      url: '/webhook',
      config: { description: topicRoutes.webhook },
      handler: (request, reply) => this.take(request, reply),
    });
  }

  private take(request: FastifyRequest, reply: FastifyReply): void {
    const record = recordOf(request);
    const records = record.ok
      ? parsed({ records: [this.sized(record.value)], isPartial: false })
      : record;
    this.calls.carryOut(new FastifyExchange(request, reply), records, outcomesText);
  }

  private sized(record: ProduceRecord): ProduceRecord | Refusal {
    const sized = sizedRecord(record, this.recordBytesMax);
    return 'status' in sized ? { ...sized, message: `the record ${sized.message}` } : sized;
  }
}

function recordOf(request: FastifyRequest): Parsed<ProduceRecord> {
  const { topic, key = '', partition = '' } = request.query as Record<string, unknown>;
  if (typeof topic !== 'string') return refused('the query names one topic');
  if (typeof key !== 'string') return refused('key is given twice');
  if (typeof partition !== 'string' || !/^\d{0,9}$/.test(partition)) {
    return refused('partition must be a whole number, not negative');
  }
  return parsed({
    topic,
    partition: partition === '' ? null : Number(partition),
    key: keyOf(key),
    value: rawBody(request),
    headers: webhookHeaders(request.raw.rawHeaders),
    timestamp: null,
  });
}
