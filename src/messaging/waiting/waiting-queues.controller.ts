/** Lists the entries of a queue, and pauses all queues (messaging.md 5). */
import { Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../engine/principal/principal.js';
import { By } from '../../http/identity/callers.js';
import { foundIn, valueIn } from '../../http/outcome.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { Pausing } from './pausing.js';
import { waitingRoutes } from './waiting.openapi.js';
import { parseAll, parseWaiting } from './waiting.request.js';
import { type QueueLine, WaitingLines } from './waiting-lines.js';

/** Separate from the controller of queues, whose routes published clients know. */
@Controller('v2/queues')
export class WaitingQueuesController {
  constructor(
    private readonly lines: WaitingLines,
    private readonly pausing: Pausing,
  ) {}

  @Get(':name/waiting')
  @Describe(waitingRoutes.queue)
  async waiting(@Param('name') name: string, @Req() { url }: FastifyRequest): Promise<QueueLine> {
    const { count } = valueIn(parseWaiting(url));
    return foundIn(await this.lines.ofQueue(name, count), `queue ${name}`);
  }

  @Post('pause')
  @HttpCode(200)
  @Describe(waitingRoutes.pauseQueues)
  async pause(@By() by: Caller, @Req() request: FastifyRequest): Promise<{ paused: number }> {
    valueIn(parseAll(request.url, rawBody(request)));
    return { paused: await this.pausing.queuesTo(true, by) };
  }

  @Post('resume')
  @HttpCode(200)
  @Describe(waitingRoutes.resumeQueues)
  async resume(@By() by: Caller, @Req() request: FastifyRequest): Promise<{ resumed: number }> {
    valueIn(parseAll(request.url, rawBody(request)));
    return { resumed: await this.pausing.queuesTo(false, by) };
  }
}
