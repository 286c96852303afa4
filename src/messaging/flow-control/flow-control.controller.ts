/** `/v2/flowControl`: the keys, their limits and what they hold back (messaging.md 8). */
import {
  BadRequestException,
  Controller,
  Get,
  HttpCode,
  Inject,
  NotFoundException,
  Param,
  Post,
  Req,
  StreamableFile,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import { parseName } from '../../grammar/name.js';
import { resultOf, valueIn } from '../../http/outcome.js';
import { Describe } from '../../http/routes/route-description.js';
import { type FlowControlCommand, flowControlKind } from './flow-control.commands.js';
import { flowControlRoutes } from './flow-control.openapi.js';
import { parseNothing, parsePin, parseSearch, parseUnpin } from './flow-control.request.js';
import type { FlowControlState } from './flow-control.state.js';
import { FlowControlGate } from './flow-control-gate.js';
import { flowControlListing } from './flow-control-listing.js';
import { type FlowControlRecord, flowControlRecord } from './flow-control-record.js';

@Controller('v2/flowControl')
export class FlowControlController {
  constructor(
    private readonly engine: Engine,
    private readonly gate: FlowControlGate,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  @Get()
  @Describe(flowControlRoutes.list)
  list(@Req() { url }: FastifyRequest): StreamableFile {
    const search = valueIn(parseSearch(url)) ?? '';
    const known = [...this.engine.actors(flowControlKind).ids()];
    const listing = flowControlListing(
      known.filter((key) => key.includes(search)),
      { recordOf: (key) => this.recordOf(key), durable: () => this.engine.durable() },
    );
    return new StreamableFile(listing, { type: 'application/json; charset=utf-8' });
  }

  @Get(':key')
  @Describe(flowControlRoutes.show)
  async show(
    @Param('key') key: string,
    @Req() { url }: FastifyRequest,
  ): Promise<FlowControlRecord> {
    valueIn(parseNothing(url));
    const record = this.recordOf(key);
    await this.engine.durable();
    if (record === null) throw new NotFoundException(`flow-control key ${key} not found`);
    return record;
  }

  @Post(':key/pause')
  @Describe(flowControlRoutes.pause)
  @HttpCode(200)
  async pause(@Param('key') key: string, @Req() { url }: FastifyRequest): Promise<void> {
    valueIn(parseNothing(url));
    await this.ask({ type: 'PauseFlowControl', ...this.addressOf(key) });
  }

  @Post(':key/resume')
  @Describe(flowControlRoutes.resume)
  @HttpCode(200)
  async resume(@Param('key') key: string, @Req() { url }: FastifyRequest): Promise<void> {
    valueIn(parseNothing(url));
    await this.ask({ type: 'ResumeFlowControl', ...this.addressOf(key) });
  }

  @Post(':key/pin')
  @Describe(flowControlRoutes.pin)
  @HttpCode(200)
  async pin(@Param('key') key: string, @Req() { url }: FastifyRequest): Promise<void> {
    const pin = valueIn(parsePin(url));
    await this.ask({ type: 'PinFlowControl', ...this.addressOf(key), ...pin });
  }

  @Post(':key/unpin')
  @Describe(flowControlRoutes.unpin)
  @HttpCode(200)
  async unpin(@Param('key') key: string, @Req() { url }: FastifyRequest): Promise<void> {
    const unpin = valueIn(parseUnpin(url));
    await this.ask({ type: 'UnpinFlowControl', ...this.addressOf(key), ...unpin });
  }

  /** Attempts in flight are counted, never estimated: the rate is all there is to reset. */
  @Post([':key/resetRate', ':key/reset'])
  @Describe(flowControlRoutes.resetRate)
  @HttpCode(200)
  async resetRate(@Param('key') key: string, @Req() { url }: FastifyRequest): Promise<void> {
    valueIn(parseNothing(url));
    await this.ask({ type: 'ResetRate', ...this.addressOf(key) });
  }

  private recordOf(key: string): FlowControlRecord | null {
    const control = this.engine.actors(flowControlKind).stateOf(key) as FlowControlState;
    return control && flowControlRecord(key, control, this.gate.look(key), this.clock.now());
  }

  private addressOf(key: string) {
    const name = parseName(key);
    if (!name.ok) throw new BadRequestException(`the flow-control key ${name.reason}`);
    return { kind: flowControlKind, id: key, at: this.clock.now() };
  }

  private async ask(command: FlowControlCommand): Promise<void> {
    const [outcome] = await this.engine.dispatch([command]);
    resultOf(outcome);
  }
}
