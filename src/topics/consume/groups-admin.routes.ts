/** `/admin/groups` for operators, and `/seek` for readers (topics.md 5.2 and 4.6). */
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Refusal, sendRefusal } from '../../http/error-shapes.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import { rawBody } from '../../http/routes/raw-body.js';
import type { ConsumerPlace } from '../groups/consumer.events.js';
import { GroupRights } from '../offsets/group-rights.js';
import { GroupsAdmin } from '../sessions/groups-admin.js';
import { parseOffsetReset, parseSeeks } from '../sessions/groups-admin.request.js';
import { Seeks } from '../sessions/seeks.js';
import { groupRoutes } from './groups-admin.openapi.js';

type Target = { Params: ConsumerPlace };

const one = '/admin/groups/:group';

/** An answer as JSON, or why there is none. */
type Answered = { readonly answer: unknown } | Refusal;

const success: Answered = { answer: { result: 'Success', status: 200 } };

@Injectable()
export class GroupsAdminRoutes implements HotRoutes {
  constructor(
    private readonly admin: GroupsAdmin,
    private readonly seeks: Seeks,
    private readonly credentials: BasicCredentials,
    private readonly rights: GroupRights,
  ) {}

  register(fastify: FastifyInstance): void {
    const { admin } = this;
    fastify.get('/admin/groups', { config: { description: groupRoutes.list } }, (request, reply) =>
      this.administer(request, reply, async () => ({ answer: await admin.list() })),
    );
    fastify.get<Target>(one, { config: { description: groupRoutes.show } }, (request, reply) =>
      this.administer(request, reply, async () => answered(await admin.show(request.params.group))),
    );
    fastify.delete<Target>(one, { config: { description: groupRoutes.remove } }, (request, reply) =>
      this.administer(
        request,
        reply,
        async () => (await admin.remove(request.params.group)) ?? success,
      ),
    );
    fastify.post<Target>(
      `${one}/offsets`,
      { config: { description: groupRoutes.reset } },
      (request, reply) =>
        this.administer(request, reply, async () => {
          const reset = parseOffsetReset(rawBody(request));
          if (!reset.ok) return { status: 400, message: reset.reason };
          return answered(await admin.reset(request.params.group, reset.value));
        }),
    );
    fastify.post<Target>(
      '/seek/:group/:instance',
      { config: { description: groupRoutes.seek } },
      (request, reply) => this.seek(request, reply),
    );
  }

  private async seek(request: FastifyRequest<Target>, reply: FastifyReply): Promise<FastifyReply> {
    const seeks = parseSeeks(rawBody(request));
    if (!seeks.ok) return sendRefusal(request, reply, { status: 400, message: seeks.reason });
    const forbidden = this.rights.judgePlaces(request.raw, request.params.group, seeks.value);
    if (forbidden !== undefined) return sendRefusal(request, reply, forbidden);
    return send(request, reply, answered(await this.seeks.seek(request.params, seeks.value)));
  }

  private async administer(
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<Answered>,
  ): Promise<FastifyReply> {
    const forbidden = this.credentials.judgeRight(request.raw, 'administer', null);
    return send(request, reply, forbidden ?? (await work()));
  }
}

function answered(outcome: object): Answered {
  return 'status' in outcome ? (outcome as Refusal) : { answer: outcome };
}

function send(request: FastifyRequest, reply: FastifyReply, outcome: Answered): FastifyReply {
  if (!('answer' in outcome)) return sendRefusal(request, reply, outcome);
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(outcome.answer));
}
