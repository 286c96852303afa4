/** Wiring of the OpenAPI document. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/route-table.js';
import { OpenapiRoute } from './openapi.routes.js';

@Module({ providers: [OpenapiRoute] })
export class OpenapiModule {
  constructor(table: RouteTable, route: OpenapiRoute) {
    table.add(route);
  }
}
