/**
 * The three forms of `/produce`, which write records directly into their logs (topics.md 2.1 and
 * 2.2).
 */
import { parseJson } from '../../grammar/json.js';
import { ok, Refusal, type Result, refused } from '../../grammar/result.js';
import type { Exchange } from '../../http/routes/exchange.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { ExpressRoute, FastifyRoute } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import { readEncoding } from '../records/record-text.js';
import { topicRoutes } from '../records/topics.openapi.js';
import { parseItems, readRecord, recordOfPath, sizedRecord } from './produce.request.js';
import type { ProduceCalls, ProduceRecords } from './produce-calls.js';

/** Sizes in bytes. */
export interface ProduceLimits {
  /** Limit of one record's key, value and headers. */
  readonly recordBytesMax: number;
  /** Limit of the body of one request. */
  readonly requestBytesMax: number;
}

/**
 * Produces the records of a body. The path names their topic, or each record names its own. GET
 * accepts the same body, for clients that cannot send POST.
 */
export class ProduceRoute implements ExpressRoute {
  readonly methods = ['GET', 'POST'];
  readonly isExpress = true;
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
    this.calls.carryOut(exchange, readRecords(exchange, this.limits.recordBytesMax));
  }
}

/** Produces the record in the path. */
export class ProduceByPathRoute implements FastifyRoute {
  readonly methods = ['GET'];
  readonly pattern = '/produce/:topic/:message';
  readonly description: RouteDescription = topicRoutes.produceByPath;

  constructor(
    private readonly calls: ProduceCalls,
    private readonly recordBytesMax: number,
  ) {}

  serve(exchange: FastifyExchange): void {
    const records = readPath(exchange, this.recordBytesMax);
    this.calls.carryOut(exchange, records, ([outcome]) => JSON.stringify(outcome));
  }
}

function readPath(exchange: FastifyExchange, recordBytesMax: number): Result<ProduceRecords> {
  const { key = null } = exchange.query;
  if (key !== null && typeof key !== 'string') return refused('key is given twice');
  const record = recordOfPath(exchange.param('topic'), exchange.param('message'), key);
  return ok({ records: [sizedRecord(record, recordBytesMax)], isPartial: false });
}

function readRecords(
  { request, target, body }: Exchange,
  recordBytesMax: number,
): Result<ProduceRecords> {
  const { path, partial } = readTarget(target);
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
    // A refusal of the whole request must say which record it is about.
    return record instanceof Refusal && !isPartial ? numbered(record, index) : record;
  });
  return ok({ records, isPartial });
}

/** Splits off the path where the router does. */
function readTarget(target: string) {
  const end = target.search(/[?#]/);
  if (end < 0) return { path: target, partial: 'false' };
  const given = new URLSearchParams(target.slice(end + 1)).getAll('partial');
  return {
    path: target.slice(0, end),
    partial: given.length === 0 ? 'false' : given.join(),
  };
}

/**
 * The topic after `/produce/`; null if there is none. Its encoding is valid: the router has checked
 * it.
 */
function topicOf(path: string): string | null {
  const [, , topic = ''] = path.split('/', 3);
  return topic === '' ? null : decodeURIComponent(topic);
}

function numbered(refusal: Refusal, index: number): Refusal {
  return refusal.of(`record ${index}:`);
}
