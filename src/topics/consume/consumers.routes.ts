/** `/consumers` and `/delete-consumer`: the instances of groups (topics.md 4.5). */
import { Injectable } from '@nestjs/common';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { refuseIf, valueIn } from '../../http/outcome.js';
import { answerJson, type Exchange } from '../../http/routes/exchange.js';
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { Route } from '../../http/routes/route.js';
import { success } from '../../http/success.js';
import { assignmentsIn } from '../groups/consumer-group.state.js';
import { GroupViews } from '../groups/group-views.js';
import { GroupRights } from '../offsets/group-rights.js';
import { parseReceived } from '../sessions/consume.request.js';
import { ConsumersService } from '../sessions/consumers.service.js';
import { consumerRoutes } from './consumers.openapi.js';
import { placeIn } from './place-in.js';

/** The list contains only groups whose topics the credential may all read. */
@Injectable()
export class ConsumersRoutes {
  readonly routes: readonly Route[] = [
    {
      methods: ['GET'],
      pattern: '/consumers',
      description: consumerRoutes.list,
      serve: (exchange) => this.list(exchange),
    },
    {
      methods: ['POST', 'DELETE'],
      pattern: '/delete-consumer/:group/:instance',
      description: consumerRoutes.remove,
      serve: (exchange) => this.remove(exchange),
    },
  ];

  constructor(
    private readonly consumers: ConsumersService,
    private readonly views: GroupViews,
    private readonly credentials: BasicCredentials,
    private readonly rights: GroupRights,
  ) {}

  private list(exchange: Exchange): void {
    this.credentials.require(exchange.request, 'read');
    const { views } = this;
    const groups = [];
    for (const name of views.names()) {
      const view = views.find(name);
      if (view === undefined || view.members.size === 0) continue;
      if (!this.rights.mayName(exchange.request, name)) continue;
      const assignments = assignmentsIn(view);
      const instances = [...view.members].map(({ instance }) => {
        return { name: instance, topics: assignments.get(instance) ?? [] };
      });
      groups.push({ name, instances });
    }
    answerJson(exchange, groups);
  }

  private async remove(exchange: FastifyExchange): Promise<void> {
    const place = placeIn(exchange);
    refuseIf(this.rights.judge(exchange.request, place.group, []));
    const received = valueIn(parseReceived(exchange.request.rawHeaders));
    refuseIf(await this.consumers.remove(place, { by: exchange.caller, received }));
    answerJson(exchange, success);
  }
}
