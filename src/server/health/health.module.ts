/** Wiring of the health routes. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/route-table.js';
import { HealthRoutes } from './health.routes.js';

/** Its routes are open, and are answered before the journal is recovered. */
@Module({ providers: [HealthRoutes] })
export class HealthModule {
  constructor(table: RouteTable, routes: HealthRoutes) {
    table.add(...routes.routes);
  }
}
