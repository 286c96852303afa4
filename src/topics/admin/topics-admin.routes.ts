/** `/admin/topics`: topics are created, shown, altered, purged and deleted. */
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { provided } from '../../engine/provided.js';
import type { Parsed } from '../../grammar/parsed.js';
import { type Refusal, sendRefusal } from '../../http/error-shapes.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { Intake } from '../../http/intake.js';
import type { HotRoutes } from '../../http/routes/hot-routes.js';
import { rawBody } from '../../http/routes/raw-body.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import type { TopicSettings } from '../settings.js';
import { TopicsAdmin } from './topics-admin.js';
import { topicAdminRoutes } from './topics-admin.openapi.js';
import { parseAlteration, parseCreation, parsePurge } from './topics-admin.request.js';

type Named = { Params: { name: string } };

/** What a request comes to: what to answer as JSON, or why not. */
interface Done {
  readonly answer: unknown;
}
type Work = (body: Buffer, name: string) => Promise<Done | Refusal>;

const collection = '/admin/topics';
const one = `${collection}/:name`;

@Injectable()
export class TopicsAdminRoutes implements HotRoutes {
  constructor(
    private readonly admin: TopicsAdmin,
    private readonly basic: BasicCredentials,
    private readonly intake: Intake,
    @Inject(provided.config) private readonly config: Pick<TopicSettings, 'topicPartitions'>,
  ) {}

  register(fastify: FastifyInstance): void {
    const { admin } = this;
    fastify.addHook('preClose', async () => admin.stopWaiting());
    const add = (method: string, url: string, description: RouteDescription, work: Work): void => {
      fastify.route<Named>({
        method,
        url,
        config: { description },
        handler: (request, reply) => this.serve(request, reply, description, work),
      });
    };
    add('GET', collection, topicAdminRoutes.list, async () => ({ answer: await admin.list() }));
    add('POST', collection, topicAdminRoutes.create, (body) =>
      from(parseCreation(body, this.config.topicPartitions), ({ name, settings }) =>
        this.withSpace(() => admin.create(name, settings)),
      ),
    );
    add('GET', one, topicAdminRoutes.show, async (_body, name) => done(await admin.show(name)));
    add('PATCH', one, topicAdminRoutes.alter, (body, name) =>
      from(parseAlteration(body), (change) => this.withSpace(() => admin.alter(name, change))),
    );
    add('DELETE', one, topicAdminRoutes.remove, async (_body, name) => {
      const refusal = await admin.delete(name);
      return refusal ?? { answer: { result: 'Success', status: 200 } };
    });
    add('POST', `${one}/purge`, topicAdminRoutes.purge, (body, name) =>
      from(parsePurge(body), (trims) => admin.purge(name, trims)),
    );
  }

  private async serve(
    request: FastifyRequest<Named>,
    reply: FastifyReply,
    { answers }: RouteDescription,
    work: Work,
  ): Promise<FastifyReply> {
    const forbidden = this.basic.judgeRight(request.raw, 'administer', null);
    const outcome = forbidden ?? (await work(rawBody(request), request.params.name));
    if (!('answer' in outcome)) return sendRefusal(request, reply, outcome);
    return reply
      .code(201 in answers ? 201 : 200)
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(outcome.answer));
  }

  /** New logs are new files: none on a disk that is nearly full. */
  private async withSpace<Answer extends object>(
    work: () => Promise<Answer | Refusal>,
  ): Promise<Answer | Refusal> {
    const refusal = this.intake.take(0);
    return refusal ?? work().finally(() => this.intake.done(0));
  }
}

async function from<Value, Answer extends object>(
  given: Parsed<Value>,
  work: (value: Value) => Promise<Answer | Refusal>,
): Promise<Done | Refusal> {
  return given.ok ? done(await work(given.value)) : { status: 400, message: given.reason };
}

function done(outcome: object | Refusal): Done | Refusal {
  return 'status' in outcome && 'message' in outcome ? (outcome as Refusal) : { answer: outcome };
}
