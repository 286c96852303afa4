/**
 * Carries out a request once, although nodes may send it more than once (ADR 79): a node that got
 * no answer sends it again, with the same seed and the next attempt number.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Hop, skewMsMax } from '../../cluster/forwarding/hop.js';
import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import { SeededNames } from '../../engine/identifiers.js';
import type { Journal } from '../../engine/journal.js';
import { RequestSeed } from '../../engine/principal/request-seed.js';
import { Refusal } from '../../grammar/result.js';
import { type Callers, markPassedOn, requestIdHeader } from '../../http/identity/callers.js';
import { mayChange } from '../../http/routes/route-description.js';
import type { RouteTable } from '../../http/routes/route-table.js';
import { isPublished } from '../../messaging/messages/recorded-events.js';
import { runKind } from '../../workflows/run-state/run.events.js';
import { sendJson, sendRefusalTo } from './own-answers.js';

/** The collaborators. */
export interface RepeatedRequestsPorts {
  readonly routes: Pick<RouteTable, 'descriptionOf'>;
  readonly callers: Callers;
  readonly journal: Journal;
  /** Settles when everything decided so far is durable. */
  readonly durable: () => Promise<void>;
  readonly clock: Clock;
  /** The value of `Stepwell-Durability`. */
  readonly durability: string;
}

/** Where a request comes from; `client` is null if it comes from a client of this node. */
export interface RequestSource extends Pick<Hop, 'seed' | 'attempt'> {
  readonly client: string | null;
}

/**
 * An attempt that was under way for longer is refused because of its date, whichever clock is
 * ahead. Until then, this node remembers whether a later attempt has arrived.
 */
const keptMs = 3 * skewMsMax;

/** How far back the journal is searched for a request: none is under way for longer. */
const lookedBackMs = 30 * 60_000;

const outdated: Refusal = new Refusal('unavailable', 'a later attempt of this request has arrived');

interface Known {
  readonly attempt: number;
  readonly seed: RequestSeed;
}

/**
 * One instance per node. Memory says what is being carried out here; the journal says what an
 * earlier attempt did, here or under another owner.
 */
export class RepeatedRequests {
  /** By seed: requests that are being carried out, were broken off, or were repeated. */
  private readonly known = new Map<string, Known>();

  constructor(private readonly ports: RepeatedRequestsPorts) {}

  /**
   * Lets `serve` answer a request, unless it was already carried out, or a later attempt has
   * arrived.
   */
  async take(
    request: IncomingMessage,
    response: ServerResponse,
    { client, seed: text, attempt }: RequestSource,
    serve: RequestListener,
  ): Promise<void> {
    const { routes, callers } = this.ports;
    const { method = '', url = '' } = request;
    const seed = new RequestSeed(text);
    markPassedOn(request, { client, seed });
    const description = routes.descriptionOf(method, url);
    const changes = mayChange(method, description);
    if (changes && !this.claimAttempt(response, { seed, attempt })) {
      sendRefusalTo(request, response, outdated, callers.idOf(request));
      return;
    }
    // A topic may have been created for records that were never stored, so for those only their key
    // is conclusive.
    if (changes && attempt > 1 && description?.repeats !== 'key') {
      const done = await this.eventsOf(seed, callers.idOf(request));
      if (seed.isSuperseded) {
        sendRefusalTo(request, response, outdated, callers.idOf(request));
        return;
      }
      if (done.length > 0) {
        this.answerDone(request, response, text, done);
        return;
      }
    }
    serve(request, response);
  }

  /**
   * Returns whether this is the latest attempt. Then what remains of an earlier attempt decides
   * nothing.
   */
  private claimAttempt(response: ServerResponse, arrived: Known): boolean {
    const { known } = this;
    const { text } = arrived.seed;
    const before = known.get(text);
    if (before !== undefined && before.attempt >= arrived.attempt) return false;
    before?.seed.supersede();
    known.set(text, arrived);
    response.once('close', () => this.closed(arrived, response.writableFinished));
    return true;
  }

  /** Must not refer to the response: its request may hold a body, which nothing would count. */
  private closed(arrived: Known, isAnswered: boolean): void {
    const { known } = this;
    const forget = () => {
      if (known.get(arrived.seed.text) === arrived) known.delete(arrived.seed.text);
    };
    if (arrived.attempt === 1 && isAnswered) forget();
    else this.ports.clock.after(keptMs, forget);
  }

  /** The events that all attempts of the request have caused, under every owner. */
  private async eventsOf(seed: RequestSeed, requestId: string): Promise<readonly EventEnvelope[]> {
    const { journal, durable, clock } = this.ports;
    await durable();
    const from = await journal.offsetFor(clock.now() - lookedBackMs);
    const range = { from, until: journal.highWatermark, order: 'oldest' as const };
    const events: EventEnvelope[] = [];
    for await (const envelope of journal.query({ ...range, terms: [[seed.term]] })) {
      const { by } = envelope;
      if (by?.type === 'caller' && by.requestId === requestId) events.push(envelope);
    }
    return events;
  }

  private answerDone(
    request: IncomingMessage,
    response: ServerResponse,
    seed: string,
    events: readonly EventEnvelope[],
  ): void {
    const { callers, durability } = this.ports;
    const requestId = callers.idOf(request);
    const receipt = receiptOf(request.url ?? '', seed, events);
    if (receipt === null) {
      const refusal = new Refusal('unavailable', carriedOut, {
        'stepwell-message-id': firstMessageId(seed),
      });
      sendRefusalTo(request, response, refusal, requestId);
      return;
    }
    const headers = { [requestIdHeader]: requestId, 'stepwell-durability': durability };
    sendJson(response, 200, headers, JSON.stringify(receipt));
  }
}

const carriedOut =
  'this request was carried out, and its answer was lost when nodes changed: do not send it again';

/**
 * The id of the first message of a publish or enqueue, which is derived from the request's seed.
 */
export function firstMessageId(seed: string): string {
  return new SeededNames(() => seed).next('msg');
}

const toOneUrl = /^\/v2\/(?:publish|enqueue)\//;

/**
 * The answer to publishing one message to one URL; null if it cannot be derived from the journal.
 */
function receiptOf(
  target: string,
  seed: string,
  events: readonly EventEnvelope[],
): { readonly messageId: string; readonly url: string } | null {
  if (!toOneUrl.test(target) || events.some(({ kind }) => kind === runKind)) return null;
  const made = events.filter(isPublished);
  const [first] = made;
  const messageId = firstMessageId(seed);
  if (first === undefined || made.length > 1 || first.id !== messageId) return null;
  const { url, topicName } = first.event;
  return topicName === null ? { messageId, url } : null;
}
