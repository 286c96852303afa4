/** Wiring of the OpenAPI document. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/route-table.js';
import { OpenapiRoute } from './openapi.routes.js';

/** Nothing is made at the start: the first request has the document made (ADR 62). */
@Module({ providers: [OpenapiRoute] })
export class OpenapiModule {
  constructor(table: RouteTable, route: OpenapiRoute) {
    table.add(route);
  }
}
