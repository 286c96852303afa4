/**
 * What the URL of a publish says: where to, and the options in its query. Publishers name the same
 * few destinations again and again, so what was read and allowed once is remembered.
 */
import { LRUCache } from 'lru-cache';
import type { AddressGuard } from '../delivery/address-guard.js';
import { readQueryOptions } from '../http/dialect.js';
import type { Refusal } from '../http/error-shapes.js';
import { parseDestination } from './destination.js';

/** A destination that may be called, as far as its URL tells. */
export interface PublishTarget {
  /** As it will be called and signed. */
  readonly url: string;
  /** Options of the query, names and values in turn, ready to follow the request's headers. */
  readonly options: readonly string[];
}

const rememberedMax = 1024;
/** Longer request targets are read each time, so that what is remembered stays small. */
const rememberedLengthMax = 1024;

export class PublishTargets {
  private readonly remembered = new LRUCache<string, PublishTarget>({ max: rememberedMax });

  /** `isOwnToken` tells our token in a query from a parameter of the destination. */
  constructor(
    private readonly guard: AddressGuard,
    private readonly isOwnToken: (value: string) => boolean,
  ) {}

  /** Reads a request target `/v2/publish/{destination}`, raw as it was sent. */
  read(requestTarget: string): PublishTarget | Refusal {
    const known = this.remembered.get(requestTarget);
    if (known !== undefined) return known;
    const target = this.parse(requestTarget);
    if ('url' in target && requestTarget.length <= rememberedLengthMax) {
      this.remembered.set(requestTarget, target);
    }
    return target;
  }

  private parse(requestTarget: string): PublishTarget | Refusal {
    const question = requestTarget.indexOf('?');
    const path = question < 0 ? requestTarget : requestTarget.slice(0, question);
    const text = question < 0 ? '' : requestTarget.slice(question + 1);
    const query = readQueryOptions(text, this.isOwnToken);
    if (!query.ok) return { status: 400, message: query.reason };
    const destination = parseDestination(tailOf(path), query.value.rest);
    if (!destination.ok) return { status: 400, message: destination.reason };
    if (destination.value.kind === 'group') {
      return { status: 404, message: `URL group ${destination.value.name} not found` };
    }
    const allowed = this.guard.checkDestination(destination.value.url);
    if (!allowed.ok) return { status: 400, message: `the destination ${allowed.reason}` };
    return { url: destination.value.text, options: query.value.pairs };
  }
}

/** What follows `/v2/publish/`; the router has matched, but its own copy is decoded. */
function tailOf(path: string): string {
  const marker = path.indexOf('/', path.indexOf('/', 1) + 1);
  return marker < 0 ? '' : path.slice(marker + 1);
}
