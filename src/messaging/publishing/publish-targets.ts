/**
 * Reads destinations: the target, and the options in its query. Publishers use the same few
 * destinations again and again, so destinations that were read and allowed are remembered.
 */
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { parseDestination, parseUrl, urlLengthMax } from '../../grammar/destination.js';
import { ok, Refusal, type Result, refused } from '../../grammar/result.js';
import { readQueryOptions } from '../../http/dialect.js';
import { headerBytesMax } from '../../http/head-limits.js';
import { BearerTokens } from '../../http/identity/bearer-token.js';
import { AddressGuard } from '../outbound/address-guard.js';
import type { MessagingSettings } from '../settings.js';
import type { PublishRules } from './option-reader.js';

/** A destination: a URL that may be called as far as its text shows, or the name of a URL group. */
export interface PublishTarget {
  readonly kind: 'url' | 'group';
  /** The URL as it will be called and signed, or the name of the group. */
  readonly text: string;
  /**
   * Options in the query, names and values in turn, to be appended to the headers of the message.
   */
  readonly options: readonly string[];
}

const rememberedMax = 1024;
/** Longer destinations are read each time, to keep the cache small. */
const rememberedLengthMax = 1024;
/** Limit for a destination with the options in its query; the head of a request has the same. */
const writtenLengthMax = headerBytesMax;
const tooLong = new Refusal(
  'invalid',
  `the destination is longer than ${writtenLengthMax} characters with its options`,
);

/**
 * One instance per server. The cache is bounded. Whether an address may be called is checked again
 * for each connection.
 */
@Injectable()
export class PublishTargets {
  private readonly remembered = new LRUCache<string, PublishTarget>({ max: rememberedMax });

  /** `tokens` tell the server's own token in a query from a parameter of the destination. */
  constructor(
    private readonly guard: AddressGuard,
    @Inject(BearerTokens) private readonly tokens: Pick<BearerTokens, 'include'>,
  ) {}

  /** Reads a destination with its query, raw as it was sent. */
  read(destination: string): PublishTarget | Refusal {
    const known = this.remembered.get(destination);
    if (known !== undefined) return known;
    const target = this.parse(destination);
    if (!(target instanceof Refusal) && destination.length <= rememberedLengthMax) {
      this.remembered.set(destination, target);
    }
    return target;
  }

  /**
   * Checks an absolute URL other than the destination, such as that of a callback or a run. The
   * same guard judges it, so a URL that is known as a destination is accepted here.
   */
  judgeUrl(text: string): Result<string> {
    const known = this.remembered.get(text);
    if (known?.kind === 'url' && known.text === text) return ok(text);
    if (text.length > urlLengthMax) return refused(`is longer than ${urlLengthMax} characters`);
    if (!/^https?:\/\//i.test(text)) return refused('must begin with http:// or https://');
    const url = parseUrl(text);
    if (!url.ok) return refused('is not a valid URL');
    return this.guard.checkDestination(url.value.url) ?? ok(url.value.text);
  }

  private parse(text: string): PublishTarget | Refusal {
    if (text.length > writtenLengthMax) return tooLong;
    const question = text.indexOf('?');
    const path = question < 0 ? text : text.slice(0, question);
    const query = readQueryOptions(question < 0 ? '' : text.slice(question + 1), (value) =>
      this.tokens.include(value),
    );
    if (!query.ok) return new Refusal('invalid', query.message);
    const { rest, pairs: options } = query.value;
    const destination = parseDestination(path, rest);
    if (!destination.ok) return new Refusal('invalid', destination.message);
    const { value } = destination;
    if (value.kind === 'group') {
      return isEmptyQuery(rest) ? { kind: 'group', text: value.name, options } : queryOfGroup;
    }
    const refusal = this.guard.checkDestination(value.url);
    if (refusal !== null) return refusal.of('the destination');
    return { kind: 'url', text: value.text, options };
  }
}

/** What would be lost: an endpoint is called as the group names it, with a query of its own. */
const queryOfGroup = new Refusal(
  'invalid',
  'a URL group takes no query, as each of its endpoints has its own; ' +
    'options in a query begin with svc- or upstash-',
);

/** Whether nothing stands between the separators of a query. */
function isEmptyQuery(query: string): boolean {
  return /^&*$/.test(query);
}

/** The limits of the configuration, with the guard that judges URLs. */
export function publishRules(settings: MessagingSettings, targets: PublishTargets): PublishRules {
  const { retries, retriesMax, delayMaxMs, timeoutMs } = settings;
  const judgeUrl = (text: string) => targets.judgeUrl(text);
  return { retries, retriesMax, delayMaxMs, timeoutMs, judgeUrl };
}
