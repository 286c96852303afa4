/** `/admin/cluster`: the status of a node, and a planned takeover (administration.md 3). */
import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import { RefusalError } from '../../http/error-shapes.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import type { Right } from '../../http/identity/grant.js';
import { Describe } from '../../http/routes/route-description.js';
import type { ClusterStatus, Membership } from '../cluster/membership.js';
import type { Config } from '../configuration/config.js';
import { clusterRoutes } from './cluster.openapi.js';

const noNode: Refusal = new Refusal(
  'not_found',
  'this server is not a node of a cluster: STEPWELL_COMMIT_LOG is not set',
);
const showing: Refusal = new Refusal(
  'not_found',
  'this node changes nothing, and so follows no shared log: /health/ready says why',
);
const noOwner: Refusal = new Refusal('conflict', 'this node does not own the log');
const noFollower: Refusal = new Refusal(
  'conflict',
  'no other node follows that could take the log over: start one, and ask again some seconds later',
);

/** A live follower was heard within this time, as it reports its place every 5 s. */
const heardMs = 12_000;

/**
 * Answers 404 on a server that is not a node, and 409 to a handover if this node is a follower or
 * no other node follows.
 */
@Controller('admin/cluster')
export class ClusterController {
  constructor(
    private readonly basic: BasicCredentials,
    @Inject(provided.membership) private readonly membership: Membership | null,
    @Inject(provided.config) private readonly config: Pick<Config, 'commitLog'>,
    @Inject(provided.log) private readonly log: Logger,
  ) {}

  @Get()
  @Describe(clusterRoutes.show)
  show(@Req() request: FastifyRequest): ClusterStatus {
    return this.node(request, 'inspect').status;
  }

  @Post('handover')
  @HttpCode(202)
  @Describe(clusterRoutes.handOver)
  handOver(@Req() request: FastifyRequest): ClusterStatus {
    const node = this.node(request, 'administer');
    if (!node.mayServe) throw new RefusalError(noOwner);
    const { status } = node;
    const isHeard = status.followers?.some(({ heardMsAgo }) => heardMsAgo < heardMs);
    if (isHeard !== true) throw new RefusalError(noFollower);
    node.handOver().catch((error: unknown) => {
      this.log.error({ err: error }, 'the handover of the shared log failed');
    });
    return status;
  }

  private node({ raw }: FastifyRequest, right: Right): Membership {
    this.basic.require(raw, right);
    const { membership, config } = this;
    if (membership === null) throw new RefusalError(config.commitLog === null ? noNode : showing);
    return membership;
  }
}
