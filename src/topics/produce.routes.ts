/**
 * `/produce` in its three forms: records straight into their logs (log protocol 1.4.1 to 1.4.3).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Durability } from '../http/durability.js';
import { type Refusal, sendRefusal } from '../http/error-shapes.js';
import type { HotRoutes } from '../http/hot-routes.js';
import { parseJson } from '../http/json.js';
import { type Parsed, parsed, refused } from '../http/parsed.js';
import { rawBody } from '../http/raw-body.js';
import type { Intake } from '../lifecycle/intake.js';
import { type ProduceRecord, parseProduce, recordOfPath } from './produce.request.js';
import type { ProduceResult, RecordAppender } from './record-appender.js';
import { topicRoutes } from './topics.openapi.js';
import type { TopicsDesk } from './topics-desk.js';

type Target = { Params: { topic: string; message: string }; Querystring: { key?: unknown } };

const jsonType = 'application/json; charset=utf-8';

export class ProduceRoutes implements HotRoutes {
  constructor(
    private readonly appender: RecordAppender,
    private readonly topics: TopicsDesk,
    private readonly intake: Intake,
    private readonly durability: Durability,
  ) {}

  register(fastify: FastifyInstance): void {
    const config = { description: topicRoutes.produceByPath };
    fastify.get<Target>('/produce/:topic/:message', { config }, (request, reply) => {
      const { topic, message } = request.params;
      const { key } = request.query;
      if (key !== undefined && typeof key !== 'string') {
        return sendRefusal(request, reply, { status: 400, message: 'key is given twice' });
      }
      return this.produce(
        request,
        reply,
        parsed([recordOfPath(topic, message, key ?? null)]),
        true,
      );
    });
    const method = ['GET', 'POST'];
    fastify.route<Target>({
      method,
      url: '/produce/:topic',
      config: { description: topicRoutes.produceToTopic },
      handler: (request, reply) => {
        const records = recordsOf(rawBody(request), request.params.topic);
        return this.produce(request, reply, records, false);
      },
    });
    fastify.route({
      method,
      url: '/produce',
      config: { description: topicRoutes.produce },
      handler: (request, reply) =>
        this.produce(request, reply, recordsOf(rawBody(request), null), false),
    });
  }

  private async produce(
    request: FastifyRequest,
    reply: FastifyReply,
    records: Parsed<readonly ProduceRecord[]>,
    isBare: boolean,
  ): Promise<FastifyReply> {
    if (!records.ok) return sendRefusal(request, reply, { status: 400, message: records.reason });
    const bytes = request.url.length + rawBody(request).length;
    const refusal = this.intake.take(bytes);
    if (refusal !== null) return sendRefusal(request, reply, refusal);
    const results = await this.append(records.value).finally(() => this.intake.done(bytes));
    if ('status' in results) return sendRefusal(request, reply, results);
    return reply
      .header('content-type', jsonType)
      .header('stepwell-durability', this.durability)
      .send(JSON.stringify(isBare ? results[0] : results));
  }

  /** Everything is checked before anything is written; results are in the order of the request. */
  private async append(records: readonly ProduceRecord[]): Promise<ProduceResult[] | Refusal> {
    const plans = [];
    for (const [topic, indexes] of indexesByTopic(records)) {
      const logs = await this.topics.forProduce(topic);
      if ('status' in logs) return logs;
      const own = indexes.map((index) => records[index] as ProduceRecord);
      const outside = own.find(({ partition }) => (partition ?? 0) >= logs.length);
      if (outside !== undefined) {
        return { status: 400, message: `${topic} has no partition ${outside.partition}` };
      }
      plans.push({ topic, indexes, logs, own });
    }
    const results: ProduceResult[] = [];
    await Promise.all(
      plans.map(async ({ topic, indexes, logs, own }) => {
        const appended = await this.appender.append(topic, logs, own);
        indexes.forEach((index, position) => {
          results[index] = appended[position] as ProduceResult;
        });
      }),
    );
    return results;
  }
}

function recordsOf(body: Buffer, topic: string | null): Parsed<readonly ProduceRecord[]> {
  const json = parseJson(body);
  return json.ok ? parseProduce(json.value, topic) : refused(json.reason);
}

function indexesByTopic(records: readonly ProduceRecord[]): Map<string, number[]> {
  const indexes = new Map<string, number[]>();
  records.forEach(({ topic }, index) => {
    const own = indexes.get(topic);
    if (own === undefined) indexes.set(topic, [index]);
    else own.push(index);
  });
  return indexes;
}
