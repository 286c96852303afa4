/** `/v2/queues`: lists and manages queues (messaging.md 5). */
import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { By } from '../../http/identity/callers.js';
import { foundIn, valueIn } from '../../http/outcome.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { type PauseQueue, queueKind, type ResumeQueue } from './queue.commands.js';
import { Queues } from './queue.entity.js';
import { parseUpsert } from './queue.request.js';
import { QueueEntries } from './queue-entries.js';
import { QueueRemoval } from './queue-removal.js';
import { queueRoutes } from './queues.openapi.js';

/** A queue as the API shows it; times are Unix milliseconds. */
export interface QueueObject {
  readonly name: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly parallelism: number;
  readonly paused: boolean;
  /** Messages that are neither delivered nor failed nor canceled. */
  readonly lag: number;
}

/** Queues are named in the path. 404 if a queue does not exist, except when creating one. */
@Controller('v2/queues')
export class QueuesController {
  constructor(
    private readonly queues: Queues,
    private readonly entries: QueueEntries,
    private readonly removal: QueueRemoval,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(200)
  @Describe(queueRoutes.upsert)
  async upsert(@By() by: Caller, @Req() request: FastifyRequest): Promise<void> {
    const command = valueIn(parseUpsert(rawBody(request), this.clock.now()));
    valueIn(await this.queues.ask(command, by));
  }

  @Get()
  @Describe(queueRoutes.list)
  list(): Promise<readonly QueueObject[]> {
    return this.queues.shown(() => {
      const names = [...this.queues.actors.ids()].sort();
      return names.flatMap((name) => this.object(name) ?? []);
    });
  }

  @Get(':name')
  @Describe(queueRoutes.show)
  async show(@Param('name') name: string): Promise<QueueObject> {
    return foundIn(await this.queues.shown(() => this.object(name)), `queue ${name}`);
  }

  @Delete(':name')
  @Describe(queueRoutes.remove)
  remove(@By() by: Caller, @Param('name') name: string): Promise<void> {
    return this.removal.remove(name, by);
  }

  @Post(':name/pause')
  @HttpCode(200)
  @Describe(queueRoutes.pause)
  pause(@By() by: Caller, @Param('name') name: string): Promise<void> {
    return this.carryOut(by, 'PauseQueue', name);
  }

  @Post(':name/resume')
  @HttpCode(200)
  @Describe(queueRoutes.resume)
  resume(@By() by: Caller, @Param('name') name: string): Promise<void> {
    return this.carryOut(by, 'ResumeQueue', name);
  }

  private async carryOut(
    by: Caller,
    type: PauseQueue['type'] | ResumeQueue['type'],
    name: string,
  ): Promise<void> {
    const at = this.clock.now();
    valueIn(await this.queues.ask({ type, kind: queueKind, id: name, at }, by));
  }

  private object(name: string): QueueObject | null {
    const state = this.queues.stateOf(name);
    if (state === null) return null;
    const { createdAt, updatedAt, parallelism, isPaused: paused } = state;
    return { name, createdAt, updatedAt, parallelism, paused, lag: this.entries.lagOf(name) };
  }
}
