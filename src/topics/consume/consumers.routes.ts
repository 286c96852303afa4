/** `/consumers` and `/delete-consumer`: the instances of groups (topics.md 4.5). */
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendRefusal } from '../../http/error-shapes.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import type { ConsumerPlace } from '../groups/consumer.events.js';
import { assignmentsOf } from '../groups/consumer-group.state.js';
import { GroupViews } from '../groups/group-views.js';
import { GroupRights } from '../offsets/group-rights.js';
import { ConsumersService } from '../sessions/consumers.service.js';
import { consumerRoutes } from './consumers.openapi.js';

type Target = { Params: ConsumerPlace };

const jsonType = 'application/json; charset=utf-8';
const success = JSON.stringify({ result: 'Success', status: 200 });

@Injectable()
export class ConsumersRoutes implements HotRoutes {
  constructor(
    private readonly consumers: ConsumersService,
    private readonly views: GroupViews,
    private readonly credentials: BasicCredentials,
    private readonly rights: GroupRights,
  ) {}

  register(fastify: FastifyInstance): void {
    const config = { description: consumerRoutes.list };
    fastify.get('/consumers', { config }, async (request, reply) => {
      const forbidden = this.credentials.judgeRight(request.raw, 'consume', null);
      if (forbidden !== undefined) return sendRefusal(request, reply, forbidden);
      const shown = this.list((group) => this.rights.mayName(request.raw, group));
      return reply.header('content-type', jsonType).send(JSON.stringify(shown));
    });
    fastify.route<Target>({
      method: ['POST', 'DELETE'],
      url: '/delete-consumer/:group/:instance',
      config: { description: consumerRoutes.remove },
      handler: (request, reply) => this.remove(request, reply),
    });
  }

  private list(mayName: (group: string) => boolean) {
    const { views } = this;
    const groups = [];
    for (const name of views.names()) {
      const view = views.find(name);
      if (view === undefined || view.members.size === 0 || !mayName(name)) continue;
      const instances = [...view.members].map(({ instance }) => {
        return { name: instance, topics: assignmentsOf(view, instance) };
      });
      groups.push({ name, instances });
    }
    return groups;
  }

  private async remove(
    request: FastifyRequest<Target>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const forbidden = this.rights.judge(request.raw, request.params.group, []);
    if (forbidden !== undefined) return sendRefusal(request, reply, forbidden);
    const refusal = await this.consumers.remove(request.params);
    if (refusal !== null) return sendRefusal(request, reply, refusal);
    return reply.header('content-type', jsonType).send(success);
  }
}
