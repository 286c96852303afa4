/**
 * `/produce` in its three forms: records straight into their logs (topics.md 2.1 and 2.2).
 */
import type { FastifyInstance } from 'fastify';
import { parseJson } from '../../grammar/json.js';
import { type Parsed, parsed, refused } from '../../grammar/parsed.js';
import type { Refusal } from '../../http/error-shapes.js';
import type { Exchange } from '../../http/routes/exchange.js';
import { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { ExpressRoute, HotRoutes } from '../../http/routes/hot-routes.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { readEncoding } from '../records/payload-encoding.js';
import { topicRoutes } from '../records/topics.openapi.js';
import { outcomesText } from './outcomes-text.js';
import { parseItems, readRecord, recordOfPath, sizedRecord } from './produce.request.js';
import type { ProduceCalls, ProduceRecords } from './produce-calls.js';

/** Sizes in bytes. */
export interface ProduceLimits {
  /** Of one record's key, value and headers. */
  readonly recordBytesMax: number;
  /** Of the body of one request. */
  readonly requestBytesMax: number;
}

/** The records of a body: the path may name their topic, or each record its own. */
export class ProduceRoute implements ExpressRoute {
  readonly description: RouteDescription;
  readonly bodyBytesMax: number;

  constructor(
    readonly pattern: '/produce' | '/produce/:topic',
    private readonly calls: ProduceCalls,
    private readonly limits: ProduceLimits,
  ) {
    this.description = topicRoutes[pattern === '/produce' ? 'produce' : 'produceToTopic'];
    this.bodyBytesMax = limits.requestBytesMax;
  }

  serve(exchange: Exchange): void {
    this.calls.carryOut(exchange, readRecords(exchange, this.limits.recordBytesMax), outcomesText);
  }
}

/** What comes by GET: a record in the path, or a body that its client could not post. */
export class ProduceByGetRoutes implements HotRoutes {
  constructor(
    private readonly routes: readonly ProduceRoute[],
    private readonly calls: ProduceCalls,
    private readonly recordBytesMax: number,
  ) {}

  register(fastify: FastifyInstance): void {
    const config = { description: topicRoutes.produceByPath };
    fastify.get<ByPath>('/produce/:topic/:message', { config }, (request, reply) => {
      const records = readPath(request.params, request.query.key, this.recordBytesMax);
      const exchange = new FastifyExchange(request, reply);
      this.calls.carryOut(exchange, records, ([outcome]) => JSON.stringify(outcome));
    });
    for (const route of this.routes) {
      const { pattern, description, bodyBytesMax: bodyLimit } = route;
      fastify.get(pattern, { config: { description }, bodyLimit }, (request, reply) => {
        route.serve(new FastifyExchange(request, reply));
      });
    }
  }
}

type ByPath = { Params: { topic: string; message: string }; Querystring: { key?: unknown } };

function readPath(
  { topic, message }: ByPath['Params'],
  key: unknown,
  recordBytesMax: number,
): Parsed<ProduceRecords> {
  if (key !== undefined && typeof key !== 'string') return refused('key is given twice');
  const record = sizedRecord(recordOfPath(topic, message, key ?? null), recordBytesMax);
  return parsed({ records: [record], isPartial: false });
}

function readRecords({ request, body }: Exchange, recordBytesMax: number): Parsed<ProduceRecords> {
  const { path, partial } = readTarget(request.url ?? '');
  if (partial !== 'true' && partial !== 'false') return refused('partial must be true or false');
  const encoding = readEncoding(request.rawHeaders);
  if (!encoding.ok) return encoding;
  const json = parseJson(body);
  if (!json.ok) return json;
  const items = parseItems(json.value);
  if (!items.ok) return items;
  const isPartial = partial === 'true';
  const defaults = { topic: topicOf(path), encoding: encoding.value, recordBytesMax };
  const records = items.value.map((item, index) => {
    const record = readRecord(item, defaults);
    // Alone, a refusal must say which record it is about.
    return 'status' in record && !isPartial ? numbered(record, index) : record;
  });
  return parsed({ records, isPartial });
}

/** A path ends where it does for the router: behind it nothing was looked at. */
function readTarget(target: string) {
  const end = target.search(/[?#]/);
  if (end < 0) return { path: target, partial: 'false' };
  const given = new URLSearchParams(target.slice(end + 1)).getAll('partial');
  return {
    path: target.slice(0, end),
    partial: given.length === 0 ? 'false' : given.join(),
  };
}

/** What follows `/produce/`; null where nothing does. Its encoding is sound: the router saw it. */
function topicOf(path: string): string | null {
  const [, , topic = ''] = path.split('/', 3);
  return topic === '' ? null : decodeURIComponent(topic);
}

function numbered({ status, message }: Refusal, index: number): Refusal {
  return { status, message: `record ${index}: ${message}` };
}
