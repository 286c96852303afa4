/**
 * A client of runs says the same with each of its starts, and with each of its steps: beside their
 * bodies the requests differ in the run that they name. What was read of one is used again for the
 * next that says the same. Pure.
 */
import { LRUCache } from 'lru-cache';
import { fieldsOf, isJsonObject } from '../../grammar/json.js';
import { optionOf } from '../../http/dialect.js';
import { bodyOf } from './batch.request.js';
import type { RequestContext } from './publish.request.js';
import type { RequestTemplate, Submission } from './submissions.js';

/** The option that names what a request belongs to. */
const namingOption = 'workflow-runid';

const destinationsMax = 256;
/** Different requests to one destination: starts, steps, and what some of these say beside. */
const requestsMax = 4;
/** Of names and values together; longer ones are read each time. */
const charactersMax = 4096;

/** A request that was read, by what it says. */
interface ReadRequest {
  readonly names: readonly string[];
  readonly values: readonly unknown[];
  /** Of the header that names the run. */
  readonly place: number;
  readonly template: RequestTemplate;
}

/** Of one server: what a request means depends on its settings. */
export class AlikeRequests {
  /** The latest ones to each destination, the last first. */
  private readonly read = new LRUCache<string, readonly ReadRequest[]>({ max: destinationsMax });

  constructor(private readonly bodyBytesMax: number) {}

  /** What an item submits that says what one before it said; undefined = it has to be read. */
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

  /** An item that was read, and what it submits: others may say the same. */
  add(item: unknown, submission: Submission, context: RequestContext): void {
    const { template } = submission;
    if (template === undefined || isTraced(context)) return;
    const { destination, queue, headers } = fieldsOf(item);
    if (typeof destination !== 'string' || !isAbsent(queue) || !isJsonObject(headers)) return;
    // Its query may name one, too.
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

/** A trace of the whole request becomes a part of what its items say. */
function isTraced({ trace }: RequestContext): boolean {
  return trace !== undefined && trace.length > 0;
}

function isAbsent(queue: unknown): boolean {
  return queue === undefined || queue === null;
}

/** What `headers` name that say, in their order, what those of a known one said. */
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
