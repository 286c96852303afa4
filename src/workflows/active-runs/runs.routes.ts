/**
 * `/v2/workflows/runs/{id}`: a run's entries, and its end (workflows.md 4.4 and 4.1). Every
 * run ends here, so the routes stand on Fastify; an id may hold any characters.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pathTail } from '../../grammar/path-tail.js';
import type { InFlight } from '../../http/bytes/in-flight.js';
import { textPieces } from '../../http/bytes/listing.js';
import { refusalOf, sendRefusal } from '../../http/error-shapes.js';
import { oneOf, readFilters } from '../../http/query-filters.js';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import { rawBody } from '../../http/routes/raw-body.js';
import type { ActiveRuns } from './active-runs.js';
import { runRoutes } from './runs.openapi.js';

const pattern = '/v2/workflows/runs/*';
const segments = 3;

const endFilters = { cancel: oneOf('true', 'false') } as const;

export class RunRoutes implements HotRoutes {
  constructor(
    private readonly runs: ActiveRuns,
    private readonly inFlight: InFlight,
  ) {}

  register(fastify: FastifyInstance): void {
    fastify.get(pattern, { config: { description: runRoutes.show } }, (request, reply) =>
      this.show(request, reply),
    );
    fastify.delete(pattern, { config: { description: runRoutes.end } }, (request, reply) =>
      this.end(request, reply),
    );
  }

  private async show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const id = pathTail(request.url, segments);
    const entries = await this.runs.entriesOf(id);
    if (entries === undefined) {
      return sendRefusal(request, reply, { status: 404, message: `workflow run ${id} not found` });
    }
    const { inFlight } = this;
    reply.header('content-type', 'application/json; charset=utf-8');
    const pieces = textPieces(entries, inFlight.roomFor(request, reply));
    return inFlight.answer(request, reply, pieces);
  }

  private async end(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const filters = readFilters(request.url, endFilters);
    if (!filters.ok) return sendRefusal(request, reply, { status: 400, message: filters.reason });
    const id = pathTail(request.url, segments);
    const outcome =
      filters.value.cancel === 'false'
        ? await this.runs.end(id, rawBody(request))
        : await this.runs.cancel(id);
    return outcome.accepted
      ? reply.code(200).send()
      : sendRefusal(request, reply, refusalOf(outcome.rejection));
  }
}
