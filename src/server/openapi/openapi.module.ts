/** Wiring of the OpenAPI document. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/hot-routes.js';
import { OpenapiRoutes } from './openapi.routes.js';

@Module({})
export class OpenapiModule {
  constructor(table: RouteTable) {
    table.add(new OpenapiRoutes(table.catalogue));
  }
}
