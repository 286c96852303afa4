/**
 * `/admin/sink`: the requests that the sink of a development server received (administration.md 5).
 */
import { Controller, Delete, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { Describe } from '../../http/routes/route-description.js';
import { Sink, type SinkRequest } from './sink.js';
import { sinkRoutes } from './sink.openapi.js';

/** Shows and clears them; requests arrive by `SinkRoutes`, which need no credential. */
@Controller('admin/sink')
export class SinkController {
  constructor(
    private readonly sink: Sink,
    private readonly basic: BasicCredentials,
  ) {}

  @Get()
  @Describe(sinkRoutes.list)
  list(@Req() { raw }: FastifyRequest): { requests: readonly SinkRequest[] } {
    this.basic.require(raw, 'inspect');
    return { requests: this.sink.requests };
  }

  @Delete()
  @Describe(sinkRoutes.clear)
  clear(@Req() { raw }: FastifyRequest): { requests: readonly SinkRequest[] } {
    this.basic.require(raw, 'administer');
    this.sink.clear();
    return { requests: this.sink.requests };
  }
}
