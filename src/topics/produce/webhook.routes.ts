/** `/webhook`: stores the body of any request unchanged as one record (topics.md 2.3). */
import { ok, Refusal, type Result, refused } from '../../grammar/result.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { FastifyRoute } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { topicRoutes } from '../records/topics.openapi.js';
import { keyOf, type ProduceRecord, sizedRecord } from './produce.request.js';
import type { ProduceCalls } from './produce-calls.js';
import { webhookHeaders } from './webhook-headers.js';

/** The query may hold the credential, for senders that cannot set headers. */
export class ProduceWebhookRoute implements FastifyRoute {
  readonly methods = ['GET', 'POST'];
  readonly pattern = '/webhook';
  readonly description: RouteDescription = topicRoutes.webhook;

  /** `recordBytesMax` limits one record's key, value and headers. */
  constructor(
    private readonly calls: ProduceCalls,
    private readonly recordBytesMax: number,
  ) {}

  serve(exchange: FastifyExchange): void {
    const record = recordOf(exchange);
    const records = record.ok
      ? ok({ records: [this.sized(record.value)], isPartial: false })
      : record;
    this.calls.carryOut(exchange, records);
  }

  private sized(record: ProduceRecord): ProduceRecord | Refusal {
    const sized = sizedRecord(record, this.recordBytesMax);
    return sized instanceof Refusal ? sized.of('the record') : sized;
  }
}

function recordOf({ query, request, body }: FastifyExchange): Result<ProduceRecord> {
  const { topic, key = '', partition = '' } = query;
  if (topic === undefined) return refused('topic is missing in the query: ?topic=');
  if (typeof topic !== 'string') return refused('topic is given twice');
  if (typeof key !== 'string') return refused('key is given twice');
  if (typeof partition !== 'string' || !/^\d{0,9}$/.test(partition)) {
    return refused('partition must be a whole number, not negative');
  }
  return ok({
    topic,
    partition: partition === '' ? null : Number(partition),
    key: keyOf(key),
    value: body,
    headers: webhookHeaders(request.rawHeaders),
    timestamp: null,
  });
}
