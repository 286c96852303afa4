/** `/admin/clock`: the time of a development server, which may be moved forward. */
import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Disk } from '../../../storage/disk/disk.js';
import { provided } from '../../engine/provided.js';
import { parseDuration } from '../../grammar/duration.js';
import { Refusal } from '../../grammar/result.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { readJsonBody } from '../../http/json-body.js';
import { refuseIf, valueIn } from '../../http/outcome.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import type { Config } from '../configuration/config.js';
import { type ClockObject, clockRoutes, forwardSchema } from './clock.openapi.js';
import { keepAhead } from './kept-clock.js';
import { MovableClock } from './movable-clock.js';

/** Ten years: any cron schedule has triggered, and every retention has passed, long before. */
const aheadMaxMs = 10 * 366 * 86_400_000;

/**
 * A move is saved in the data folder before it is made, so that a restart does not go back in time.
 */
@Controller('admin/clock')
export class ClockController {
  /** Moves are saved and made one after the other. */
  private moving: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly clock: MovableClock,
    private readonly basic: BasicCredentials,
    @Inject(provided.disk) private readonly disk: Disk,
    @Inject(provided.config) private readonly config: Pick<Config, 'dataDirectory'>,
  ) {}

  @Get()
  @Describe(clockRoutes.show)
  show(@Req() { raw }: FastifyRequest): ClockObject {
    this.basic.require(raw, 'inspect');
    return this.shown();
  }

  @Post()
  @HttpCode(200)
  @Describe(clockRoutes.forward)
  async forward(@Req() request: FastifyRequest): Promise<ClockObject> {
    this.basic.require(request.raw, 'administer');
    const { forward } = valueIn(readJsonBody(rawBody(request), forwardSchema()));
    const duration = parseDuration(forward);
    const forwardMs = valueIn(duration.ok ? duration : duration.of('forward'));
    const move = this.moving.then(() => this.move(forwardMs));
    this.moving = move.catch(() => undefined);
    await move;
    return this.shown();
  }

  private async move(forwardMs: number): Promise<void> {
    const aheadMs = this.clock.aheadMs + forwardMs;
    if (aheadMs > aheadMaxMs) {
      refuseIf(new Refusal('invalid', 'forward: the clock would be more than ten years ahead'));
    }
    await keepAhead(this.disk, this.config.dataDirectory, aheadMs);
    this.clock.forward(forwardMs);
  }

  private shown(): ClockObject {
    return { now: this.clock.now(), aheadMs: this.clock.aheadMs };
  }
}
