/**
 * `/produce` in its three forms: records straight into their logs (log protocol 1.4.1 to 1.4.3).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Refusal, sendRefusal } from '../http/error-shapes.js';
import type { HotRoutes } from '../http/hot-routes.js';
import { parseJson } from '../http/json.js';
import { type Parsed, parsed, refused } from '../http/parsed.js';
import { rawBody } from '../http/raw-body.js';
import { outcomesText } from './outcomes-text.js';
import { readEncoding } from './payload-encoding.js';
import { parseItems, readRecord, recordOfPath, sizedRecord } from './produce.request.js';
import type { Asked, ProduceCalls } from './produce-calls.js';
import { topicRoutes } from './topics.openapi.js';

/** Sizes in bytes. */
export interface ProduceLimits {
  /** Of one record's key, value and headers. */
  readonly recordBytesMax: number;
  /** Of the body of one request. */
  readonly requestBytesMax: number;
}

type Target = { Params: { topic: string; message: string }; Querystring: { key?: unknown } };

export class ProduceRoutes implements HotRoutes {
  constructor(
    private readonly calls: ProduceCalls,
    private readonly limits: ProduceLimits,
  ) {}

  register(fastify: FastifyInstance): void {
    const config = { description: topicRoutes.produceByPath };
    fastify.get<Target>('/produce/:topic/:message', { config }, async (request, reply) => {
      const { topic, message } = request.params;
      const { key = null } = request.query;
      if (key !== null && typeof key !== 'string') {
        return sendRefusal(request, reply, { status: 400, message: 'key is given twice' });
      }
      const record = sizedRecord(recordOfPath(topic, message, key), this.limits.recordBytesMax);
      const asked = parsed({ records: [record], isPartial: false });
      const outcomes = await this.calls.produce(request, asked);
      return 'status' in outcomes
        ? sendRefusal(request, reply, outcomes)
        : this.calls.answer(reply, JSON.stringify(outcomes[0]));
    });
    const route = { method: ['GET', 'POST'], bodyLimit: this.limits.requestBytesMax };
    fastify.route<Target>({
      ...route,
      url: '/produce/:topic',
      config: { description: topicRoutes.produceToTopic },
      handler: (request, reply) => this.produceMany(request, reply, request.params.topic),
    });
    fastify.route({
      ...route,
      url: '/produce',
      config: { description: topicRoutes.produce },
      handler: (request, reply) => this.produceMany(request, reply, null),
    });
  }

  private async produceMany(
    request: FastifyRequest,
    reply: FastifyReply,
    topic: string | null,
  ): Promise<FastifyReply> {
    const asked = readAsked(request, topic, this.limits.recordBytesMax);
    const outcomes = await this.calls.produce(request, asked);
    if ('status' in outcomes) return sendRefusal(request, reply, outcomes);
    if (asked.ok && asked.value.isPartial) reply.code(207);
    return this.calls.answer(reply, outcomesText(outcomes));
  }
}

function readAsked(
  request: FastifyRequest,
  topic: string | null,
  recordBytesMax: number,
): Parsed<Asked> {
  const { partial = 'false' } = request.query as { readonly partial?: unknown };
  if (partial !== 'true' && partial !== 'false') return refused('partial must be true or false');
  const encoding = readEncoding(request.raw.rawHeaders);
  if (!encoding.ok) return encoding;
  const json = parseJson(rawBody(request));
  if (!json.ok) return json;
  const items = parseItems(json.value);
  if (!items.ok) return items;
  const isPartial = partial === 'true';
  const defaults = { topic, encoding: encoding.value, recordBytesMax };
  const records = items.value.map((item, index) => {
    const record = readRecord(item, defaults);
    // Alone, a refusal must say which record it is about.
    return 'status' in record && !isPartial ? numbered(record, index) : record;
  });
  return parsed({ records, isPartial });
}

function numbered({ status, message }: Refusal, index: number): Refusal {
  return { status, message: `record ${index}: ${message}` };
}
