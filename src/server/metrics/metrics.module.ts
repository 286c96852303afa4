/** Wiring of the metrics route. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/hot-routes.js';
import { MetricsRoutes } from './metrics.routes.js';

@Module({ providers: [MetricsRoutes] })
export class MetricsModule {
  constructor(table: RouteTable, routes: MetricsRoutes) {
    table.add(routes);
  }
}
