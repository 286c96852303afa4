/** `/v2/flowControl`: the keys, their limits, and what the limits hold back (messaging.md 8). */
import {
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Req,
  StreamableFile,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import type { PastMoment } from '../../engine/history/past-moment.js';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { parseName } from '../../grammar/name.js';
import { By } from '../../http/identity/callers.js';
import { foundIn, refuseIf, valueIn } from '../../http/outcome.js';
import { Describe } from '../../http/routes/route-description.js';
import { type FlowControlCommand, flowControlKind } from './flow-control.commands.js';
import { FlowControls } from './flow-control.entity.js';
import { flowControlRoutes } from './flow-control.openapi.js';
import { parseNothing, parsePin, parseSearch, parseUnpin } from './flow-control.request.js';
import { FlowControlGate } from './flow-control-gate.js';
import { flowControlListing } from './flow-control-listing.js';
import { type FlowControlRecord, flowControlRecord } from './flow-control-record.js';

/** Answers 404 for an unknown key, except to a pin, which creates it; 400 for an invalid query. */
@Controller('v2/flowControl')
export class FlowControlController {
  constructor(
    private readonly keys: FlowControls,
    private readonly gate: FlowControlGate,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.past) private readonly past: PastMoment | null,
  ) {}

  @Get()
  @Describe(flowControlRoutes.list)
  list(@Req() { url }: FastifyRequest): StreamableFile {
    const search = valueIn(parseSearch(url)) ?? '';
    const known = [...this.keys.actors.ids()];
    const listing = flowControlListing(
      known.filter((key) => key.includes(search)),
      (key) => this.recordOf(key),
      this.keys,
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
    const record = await this.keys.shown(() => this.recordOf(key));
    return foundIn(record, `flow-control key ${key}`);
  }

  @Post(':key/pause')
  @Describe(flowControlRoutes.pause)
  @HttpCode(200)
  async pause(
    @By() by: Caller,
    @Param('key') key: string,
    @Req() { url }: FastifyRequest,
  ): Promise<void> {
    valueIn(parseNothing(url));
    await this.carryOut(by, { type: 'PauseFlowControl', ...this.addressOf(key) });
  }

  @Post(':key/resume')
  @Describe(flowControlRoutes.resume)
  @HttpCode(200)
  async resume(
    @By() by: Caller,
    @Param('key') key: string,
    @Req() { url }: FastifyRequest,
  ): Promise<void> {
    valueIn(parseNothing(url));
    await this.carryOut(by, { type: 'ResumeFlowControl', ...this.addressOf(key) });
  }

  @Post(':key/pin')
  @Describe(flowControlRoutes.pin)
  @HttpCode(200)
  async pin(
    @By() by: Caller,
    @Param('key') key: string,
    @Req() { url }: FastifyRequest,
  ): Promise<void> {
    const pin = valueIn(parsePin(url));
    await this.carryOut(by, { type: 'PinFlowControl', ...this.addressOf(key), ...pin });
  }

  @Post(':key/unpin')
  @Describe(flowControlRoutes.unpin)
  @HttpCode(200)
  async unpin(
    @By() by: Caller,
    @Param('key') key: string,
    @Req() { url }: FastifyRequest,
  ): Promise<void> {
    const unpin = valueIn(parseUnpin(url));
    await this.carryOut(by, { type: 'UnpinFlowControl', ...this.addressOf(key), ...unpin });
  }

  /** Attempts in flight are counted, never estimated, so only the rate needs a reset. */
  @Post([':key/resetRate', ':key/reset'])
  @Describe(flowControlRoutes.resetRate)
  @HttpCode(200)
  async resetRate(
    @By() by: Caller,
    @Param('key') key: string,
    @Req() { url }: FastifyRequest,
  ): Promise<void> {
    valueIn(parseNothing(url));
    await this.carryOut(by, { type: 'ResetRate', ...this.addressOf(key) });
  }

  private recordOf(key: string): FlowControlRecord | null {
    const control = this.keys.stateOf(key);
    const traffic = this.past === null ? this.gate.look(key) : null;
    return control && flowControlRecord(key, control, traffic, this.clock.now());
  }

  private addressOf(key: string) {
    const name = parseName(key);
    if (!name.ok) refuseIf(name.of('the flow-control key'));
    return { kind: flowControlKind, id: key, at: this.clock.now() };
  }

  private async carryOut(by: Caller, command: FlowControlCommand): Promise<void> {
    valueIn(await this.keys.ask(command, by));
  }
}
