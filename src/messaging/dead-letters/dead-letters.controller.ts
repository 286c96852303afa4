/** `/v2/dlq`: lists, deletes and retries messages that failed for good (messaging.md 10). */
import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import { InFlight } from '../../http/bytes/in-flight.js';
import { sendListing } from '../../http/bytes/listing.js';
import { sendObject } from '../../http/bytes/object-answer.js';
import { dialects, readMessageOptions } from '../../http/dialect.js';
import { By } from '../../http/identity/callers.js';
import { Intake } from '../../http/intake.js';
import { foundIn, refuseIf, valueIn } from '../../http/outcome.js';
import { readFilters } from '../../http/query-filters.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import type { MessagingSettings } from '../settings.js';
import { deadLetterRoutes } from './dead-letters.openapi.js';
import { bulkFilters, type LetterFilters, listFilters } from './dead-letters.request.js';
import { DeadLettersService } from './dead-letters.service.js';
import { LetterSources } from './letter-sources.js';
import { type RetryOverrides, readOverrides } from './retry.request.js';

/** Every change is durable when it is answered. */
@Controller('v2/dlq')
export class DeadLettersController {
  constructor(
    private readonly service: DeadLettersService,
    private readonly sources: LetterSources,
    private readonly intake: Intake,
    private readonly inFlight: InFlight,
    @Inject(provided.config) private readonly config: MessagingSettings,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  @Get()
  @Describe(deadLetterRoutes.list)
  list(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query('source') source?: string,
  ) {
    const other = valueIn(this.sources.of(source));
    const letters =
      other?.(request.url) ?? this.service.list(valueIn(readFilters(request.url, listFilters)));
    return sendListing(this.inFlight, request, reply, 'messages', letters);
  }

  @Get(':id')
  @Describe(deadLetterRoutes.show)
  async show(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const letter = foundIn(await this.service.find(id), `dead letter ${id}`);
    return sendObject(this.inFlight, request, reply, () => this.service.shown(letter));
  }

  @Delete()
  @Describe(deadLetterRoutes.removeMany)
  deleteMany(@By() by: Caller, @Req() request: FastifyRequest) {
    return this.service.deleteMatching(selected(request), by);
  }

  @Delete(':id')
  @Describe(deadLetterRoutes.remove)
  async delete(@By() by: Caller, @Param('id') id: string): Promise<{ deleted: number }> {
    const exists = await this.service.delete(id, by);
    refuseIf(exists ? null : new Refusal('not_found', `dead letter ${id} not found`));
    return { deleted: 1 };
  }

  @Post('retry')
  @HttpCode(201)
  @Describe(deadLetterRoutes.retryMany)
  retryMany(@By() by: Caller, @Req() request: FastifyRequest) {
    return this.service.retryMatching(selected(request), this.overrides(request), by);
  }

  /** Answers in both formats that clients know. */
  @Post('retry/:id')
  @HttpCode(201)
  @Describe(deadLetterRoutes.retry)
  async retry(@By() by: Caller, @Param('id') id: string, @Req() request: FastifyRequest) {
    const retried = await this.service.retry(id, this.overrides(request), by);
    const messageId = foundIn(retried, `dead letter ${id}`);
    return { messageId, responses: [{ messageId }] };
  }

  /** The options in the headers of the call. Retries are refused when the disk is full. */
  private overrides(request: FastifyRequest): RetryOverrides {
    const { intake, config, clock } = this;
    refuseIf(intake.refusal);
    const said = readMessageOptions(request.raw.rawHeaders, dialects[config.dialect]);
    return valueIn(readOverrides(said, config, clock.now()));
  }
}

function selected(request: FastifyRequest): LetterFilters {
  return valueIn(readFilters(request.url, bulkFilters, rawBody(request)));
}
