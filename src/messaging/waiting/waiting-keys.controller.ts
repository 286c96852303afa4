/** Lists the messages that wait under a flow-control key, and pauses all keys (messaging.md 8). */
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
import { type KeyLine, WaitingLines } from './waiting-lines.js';

/** Separate from the controller of keys, whose routes published clients know. */
@Controller('v2/flowControl')
export class WaitingKeysController {
  constructor(
    private readonly lines: WaitingLines,
    private readonly pausing: Pausing,
  ) {}

  @Get(':key/waiting')
  @Describe(waitingRoutes.key)
  async waiting(@Param('key') key: string, @Req() { url }: FastifyRequest): Promise<KeyLine> {
    const { count } = valueIn(parseWaiting(url));
    return foundIn(await this.lines.ofKey(key, count), `flow-control key ${key}`);
  }

  @Post('pause')
  @HttpCode(200)
  @Describe(waitingRoutes.pauseKeys)
  async pause(@By() by: Caller, @Req() request: FastifyRequest): Promise<{ paused: number }> {
    valueIn(parseAll(request.url, rawBody(request)));
    return { paused: await this.pausing.keysTo(true, by) };
  }

  @Post('resume')
  @HttpCode(200)
  @Describe(waitingRoutes.resumeKeys)
  async resume(@By() by: Caller, @Req() request: FastifyRequest): Promise<{ resumed: number }> {
    valueIn(parseAll(request.url, rawBody(request)));
    return { resumed: await this.pausing.keysTo(false, by) };
  }
}
