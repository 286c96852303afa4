/**
 * A client that starts runs or submits steps sends much the same request each time: apart from
 * their bodies, such requests differ only in the run that they name. The result of reading one
 * request is reused for the next one that says the same. Pure.
 */
import { LRUCache } from 'lru-cache';
import { fieldsOf, isJsonObject } from '../../grammar/json.js';
import { optionOf } from '../../http/dialect.js';
import { bodyOf } from './batch.request.js';
import type { RequestContext } from './publish.request.js';
import type { RequestTemplate, Submission } from './submissions.js';

/** The option that names the run of a request. */
const namingOption = 'workflow-runid';

const destinationsMax = 256;
/**
 * Different requests to one destination: starts, steps, and variants of them with other options.
 */
const requestsMax = 4;
/** Limit for the names and values of one request together; longer requests are read each time. */
const charactersMax = 4096;

/** A request that has been read, with the headers that it was read from. */
interface ReadRequest {
  readonly names: readonly string[];
  readonly values: readonly unknown[];
  /** Index of the header that names the run. */
  readonly place: number;
  readonly template: RequestTemplate;
}

/** The requests read so far by one server; what a request means depends on its settings. */
export class AlikeRequests {
  /** The latest requests for each destination, the most recent first. */
  private readonly read = new LRUCache<string, readonly ReadRequest[]>({ max: destinationsMax });

  constructor(private readonly bodyBytesMax: number) {}

  /** The submission of an item that says the same as an earlier one; undefined = read the item. */
  submissionOf(item: unknown, context: RequestContext): Submission | undefined {
    const { destination, queue, headers } = fieldsOf(item);
    if (typeof destination !== 'string' || isTraced(context)) return undefined;
    const known = this.read.get(destination);
    if (known === undefined || !isAbsent(queue) || !isJsonObject(headers)) return undefined;
    for (const request of known) {
      const name = nameIn(headers, request);
      if (name === undefined) continue;
      const body = bodyOf(item);
      if (!body.ok || body.value.length > this.bodyBytesMax) return undefined;
      return request.template.again(name, body.value, context);
    }
    return undefined;
  }

  /** Remembers an item that was read, with its submission: later items may say the same. */
  add(item: unknown, submission: Submission, context: RequestContext): void {
    const { template } = submission;
    if (template === undefined || isTraced(context)) return;
    const { destination, queue, headers } = fieldsOf(item);
    if (typeof destination !== 'string' || !isAbsent(queue) || !isJsonObject(headers)) return;
    // The query of the destination may name a run, too.
    if (destination.includes(namingOption)) return;
    const [names, values] = [Object.keys(headers), Object.values(headers)];
    const places = names.flatMap((name, place) => (optionOf(name) === namingOption ? [place] : []));
    const [place] = places;
    const characters = [destination, ...names, ...values].join('').length;
    if (place === undefined || places.length > 1 || characters > charactersMax) return;
    const known = this.read.get(destination) ?? [];
    const others = known.filter((request) => nameIn(headers, request) === undefined);
    const latest = [{ names, values, place, template }, ...others].slice(0, requestsMax);
    this.read.set(destination, latest);
  }
}

/** A trace of the whole request is added to each of its items, so its items are never alike. */
function isTraced({ trace }: RequestContext): boolean {
  return trace !== undefined && trace.length > 0;
}

function isAbsent(queue: unknown): boolean {
  return queue === undefined || queue === null;
}

/**
 * The run that `headers` name, if they otherwise match those of a known request in the same order.
 */
function nameIn(
  headers: Readonly<Record<string, unknown>>,
  { names, values, place }: ReadRequest,
): string | undefined {
  let index = 0;
  let named: unknown;
  for (const name in headers) {
    if (name !== names[index]) return undefined;
    const value = headers[name];
    if (index === place) named = value;
    else if (value !== values[index]) return undefined;
    index += 1;
  }
  return index === names.length && typeof named === 'string' ? named : undefined;
}
