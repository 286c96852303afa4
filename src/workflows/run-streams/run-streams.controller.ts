/** Routes beside the stream of a run: its public tokens, and the events that it waits for. */
import { Controller, Get, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { foundIn, valueIn } from '../../http/outcome.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { Runs } from '../runs/run.entity.js';
import {
  type RunTokenObject,
  type RunWaiterObject,
  runStreamRoutes,
} from './run-streams.openapi.js';
import { parseTokenRequest } from './run-streams.request.js';
import { RunTokens } from './run-tokens.js';

/** The most waits that are shown of a run, which may have thousands in parallel. */
const waitersMax = 1000;

/** The token contains the run's id and must fit a header or a URL. */
const runIdLengthMax = 1024;

/** 404 for a run that is not active. Creating a token changes no state, so it needs no event. */
@Controller('v2/workflows/runs')
export class RunStreamsController {
  constructor(
    private readonly runs: Runs,
    private readonly tokens: RunTokens,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  @Post(':id/token')
  @HttpCode(201)
  @Describe(runStreamRoutes.token)
  async token(@Param('id') id: string, @Req() request: FastifyRequest): Promise<RunTokenObject> {
    const goodMs = valueIn(parseTokenRequest(rawBody(request)));
    const isKnown = await this.runs.shown(() => this.runs.has(id) && id.length <= runIdLengthMax);
    foundIn(isKnown ? id : null, `workflow run ${id}`);
    const expiresAt = this.clock.now() + goodMs;
    const path = `/v2/workflows/runs/${encodeURIComponent(id)}/stream`;
    return { token: this.tokens.sign(id, expiresAt), expiresAt, path };
  }

  @Get(':id/waiters')
  @Describe(runStreamRoutes.waiters)
  async waiters(@Param('id') id: string): Promise<readonly RunWaiterObject[]> {
    const run = foundIn(await this.runs.shown(() => this.runs.active(id)), `workflow run ${id}`);
    return run.waits.slice(0, waitersMax).map(({ eventId, step, deadline }) => ({
      eventId,
      stepId: step.id,
      stepName: step.name,
      deadline,
    }));
  }
}
