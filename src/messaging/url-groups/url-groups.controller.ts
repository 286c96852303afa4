/** `/v2/topics`: URL groups, which have nothing to do with topics (messaging.md 6). */
import { Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { parseName } from '../../grammar/name.js';
import { By } from '../../http/identity/callers.js';
import { foundIn, refuseIf, valueIn } from '../../http/outcome.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { AddressGuard } from '../outbound/address-guard.js';
import type { UrlGroupCommand } from './url-group.commands.js';
import { UrlGroups } from './url-group.entity.js';
import { urlGroupKind } from './url-group.events.js';
import { parseGroupHeaders, parseRemoved, parseUpserted } from './url-group.request.js';
import { type UrlGroupObject, urlGroupObject } from './url-group-object.js';
import { urlGroupRoutes } from './url-groups.openapi.js';

/** An endpoint must be allowed as a destination: the guard of deliveries checks it, too (400). */
@Controller('v2/topics')
export class UrlGroupsController {
  constructor(
    private readonly groups: UrlGroups,
    private readonly guard: AddressGuard,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  @Get()
  @Describe(urlGroupRoutes.list)
  list(): Promise<readonly UrlGroupObject[]> {
    return this.groups.shown(() => {
      const names = [...this.groups.actors.ids()].sort();
      return names.flatMap((name) => this.object(name) ?? []);
    });
  }

  @Get(':name')
  @Describe(urlGroupRoutes.show)
  async show(@Param('name') name: string): Promise<UrlGroupObject> {
    return foundIn(await this.groups.shown(() => this.object(name)), `URL group ${name}`);
  }

  @Delete(':name')
  @Describe(urlGroupRoutes.remove)
  remove(@By() by: Caller, @Param('name') name: string): Promise<void> {
    return this.carryOut(by, { type: 'DeleteUrlGroup', ...this.address(name) });
  }

  @Patch(':name')
  @Describe(urlGroupRoutes.setHeaders)
  setHeaders(
    @By() by: Caller,
    @Param('name') name: string,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    const headers = valueIn(parseGroupHeaders(rawBody(request)));
    return this.carryOut(by, { type: 'SetGroupHeaders', ...this.address(name), headers });
  }

  @Post(':name/endpoints')
  @HttpCode(200)
  @Describe(urlGroupRoutes.upsertEndpoints)
  upsertEndpoints(
    @By() by: Caller,
    @Param('name') name: string,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    const known = parseName(name);
    if (!known.ok) refuseIf(known.of('the name of a URL group'));
    const check = (url: URL) => this.guard.checkDestination(url);
    const endpoints = valueIn(parseUpserted(rawBody(request), check));
    return this.carryOut(by, { type: 'UpsertEndpoints', ...this.address(name), endpoints });
  }

  @Delete(':name/endpoints')
  @Describe(urlGroupRoutes.removeEndpoints)
  removeEndpoints(
    @By() by: Caller,
    @Param('name') name: string,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    const endpoints = valueIn(parseRemoved(rawBody(request)));
    return this.carryOut(by, { type: 'RemoveEndpoints', ...this.address(name), endpoints });
  }

  private address(id: string) {
    return { kind: urlGroupKind, id, at: this.clock.now() };
  }

  private async carryOut(by: Caller, command: UrlGroupCommand): Promise<void> {
    valueIn(await this.groups.ask(command, by));
  }

  private object(name: string): UrlGroupObject | null {
    const actor = this.groups.find(name);
    return actor === undefined ? null : urlGroupObject(name, actor.state);
  }
}
