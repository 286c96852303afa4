/** Health checks: whether the process is alive, and whether it accepts work. */
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ProcessLife, type ProcessStatus } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import { answerJson } from '../../http/routes/exchange.js';
import type { Route } from '../../http/routes/route.js';
import type { RouteDescription } from '../../http/routes/route-description.js';
import type { Membership } from '../cluster/membership.js';
import { clockFault } from '../cluster/skew-watch.js';

const methods = ['GET', 'HEAD'];

const status = z.object({
  state: z.string(),
  reason: z.string().nullable(),
  warnings: z
    .array(z.string())
    .describe(
      'Problems for an operator to handle although the server is ready; absent if there are none',
    )
    .optional(),
});

const live: RouteDescription = {
  summary: 'Check whether the process is alive',
  access: 'open',
  answers: { 200: { description: 'The process is alive', schema: () => status } },
};
const ready: RouteDescription = {
  summary: 'Check whether the process serves all requests, or forwards them to a node that does',
  access: 'open',
  answers: {
    200: { description: 'The process is ready', schema: () => status },
    503: { description: 'The process is not ready; the answer says why', schema: () => status },
  },
};

/** A takeover takes less than this, so an owner that is silent for longer has no successor. */
const silentMs = 10_000;

/** The answer of `/health/ready`. */
interface Readiness {
  readonly isReady: boolean;
  /** `standby`: a node of a cluster that forwards requests to the owner. */
  readonly status: Omit<ProcessStatus, 'state'> & {
    readonly state: ProcessStatus['state'] | 'standby';
  };
}

/** Both routes answer `{"state", "reason"}`; `ready` answers 503 unless everything is served. */
@Injectable()
export class HealthRoutes {
  readonly routes: readonly Route[] = [
    {
      methods,
      pattern: '/health/live',
      description: live,
      serve: (exchange) => answerJson(exchange, this.life.status),
    },
    {
      methods,
      pattern: '/health/ready',
      description: ready,
      serve: (exchange) => {
        const { isReady, status } = this.readiness;
        answerJson(exchange, status, isReady ? 200 : 503);
      },
    },
  ];

  constructor(
    private readonly life: ProcessLife,
    @Inject(provided.membership) private readonly membership: Membership | null,
  ) {}

  /** The readiness that `/health/ready` reports: 200 if `isReady`. */
  get readiness(): Readiness {
    const { status } = this.life;
    const { membership } = this;
    const isServing = status.state === 'serving';
    if (membership === null) return { isReady: isServing, status };
    if (isServing && membership.mayServe) return { isReady: true, status };
    if (!isServing && status.state !== 'recovering') return { isReady: false, status };
    return this.followerReadiness(membership, status);
  }

  /**
   * A follower that hears the owner is ready, as all its requests are answered: otherwise a load
   * balancer would only have one node to send to. Its warnings include what would be wrong if it
   * became the owner.
   */
  private followerReadiness(
    { otherOwner, status: { heardMsAgo, clockSkewMs } }: Membership,
    { warnings = [], ...status }: ProcessStatus,
  ): Readiness {
    const fault = clockFault(clockSkewMs);
    const { wouldRefuse } = this.life;
    const all = [...warnings];
    if (fault !== null) all.push(fault.text);
    if (wouldRefuse !== null) all.push(`as the owner it would take no new work: ${wouldRefuse}`);
    const warned = { ...status, ...(all.length > 0 && { warnings: all }) };
    const notReady = (reason: string) => ({ isReady: false, status: { ...warned, reason } });
    if (heardMsAgo >= silentMs || otherOwner === null) {
      return notReady('no owner of the shared log is heard');
    }
    if (fault?.passesOn === false) return notReady(fault.text);
    return { isReady: true, status: { ...warned, state: 'standby', reason: null } };
  }
}
