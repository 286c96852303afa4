/** `?asOf=<time or offset>` on a `GET`: answers as the server would have answered then (ADR 47). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ok, Refusal, type Result, refused } from '../../grammar/result.js';
import { decodeQueryValue } from '../../http/dialect.js';
import { isMessagingRequest, sendRefusal } from '../../http/error-shapes.js';
import type { BasicCredentials } from '../../http/identity/basic-auth.js';
import { type JournalMoment, readMoment } from '../journal/journal-moment.js';
import type { PastRole } from './past-server.js';
import type { PastViews } from './past-views.js';

const unknowable = new Refusal(
  'unprocessable',
  'asOf: this does not come from the journal, so only its current state is known',
);

/** A request target without `asOf`, and the value of `asOf`; null if there was none. */
interface DatedTarget {
  readonly target: string;
  readonly asOf: string | null;
}

/** One instance per server. Until `open` is called, every `asOf` is answered 503. */
export class PastDoor {
  private views: PastViews | null = null;

  constructor(private readonly basic: BasicCredentials) {}

  /** Sets where the answers come from. */
  open(views: PastViews): void {
    this.views = views;
  }

  /** Must be added after the front door, which identifies the caller, and before every route. */
  guard(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', async (request, reply) => {
      if (!request.url.includes('asOf=') || request.method !== 'GET') return undefined;
      const { description } = request.routeOptions.config;
      if (description === undefined || description.access !== undefined) return undefined;
      // Leaves out routes that interpret `asOf` themselves, and those whose query is appended as
      // data.
      if (description.changes === true || 'asOf' in (description.query?.().shape ?? {}))
        return undefined;
      const asked = withoutAsOf(request.url);
      if (!asked.ok) return sendRefusal(request, reply, asked);
      const { target, asOf } = asked.value;
      if (asOf === null) return undefined;
      if (description.asOf !== true) return sendRefusal(request, reply, unknowable);
      return this.answer(request, reply, target, asOf);
    });
  }

  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    target: string,
    text: string,
  ): Promise<FastifyReply> {
    const moment = readMoment(text);
    if (!moment.ok) return sendRefusal(request, reply, moment.of('asOf'));
    const role = this.roleOf(request);
    if (role instanceof Refusal) return sendRefusal(request, reply, role);
    const answer = await this.ask(request, role, target, moment.value);
    if (answer instanceof Refusal) return sendRefusal(request, reply, answer);
    if (answer.contentType !== null) reply.header('content-type', answer.contentType);
    return reply.code(answer.status).send(Buffer.from(answer.body));
  }

  private async ask({ raw }: FastifyRequest, role: PastRole, target: string, asOf: JournalMoment) {
    if (this.views === null) return new Refusal('unavailable', 'the server is starting');
    const isWanted = () => !raw.socket.destroyed;
    return this.views.answer({ role, target, asOf, isWanted });
  }

  /** The caller's present rights decide: the rights of that time are not relevant today. */
  private roleOf(request: FastifyRequest): PastRole | Refusal {
    // The front door has already checked what the token may see there.
    if (isMessagingRequest(request)) return 'operate';
    if (this.basic.judgeRight(request.raw, 'administer', null) === undefined) return 'admin';
    return this.basic.judgeRight(request.raw, 'inspect', null) ?? 'read';
  }
}

/** Removes `asOf` from a query; the rest is unchanged. */
function withoutAsOf(url: string): Result<DatedTarget> {
  const question = url.indexOf('?');
  const rest: string[] = [];
  let asOf: string | null = null;
  for (const part of url.slice(question + 1).split('&')) {
    const equals = part.indexOf('=');
    if (equals < 0 || part.slice(0, equals) !== 'asOf') {
      rest.push(part);
      continue;
    }
    if (asOf !== null) return refused('asOf is given more than once');
    const value = decodeQueryValue(part.slice(equals + 1));
    if (value === undefined) return refused('the query is not valid UTF-8');
    asOf = value;
  }
  const query = rest.length === 0 ? '' : `?${rest.join('&')}`;
  return ok({ target: `${url.slice(0, question)}${query}`, asOf });
}
