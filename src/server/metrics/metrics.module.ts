/** Wiring of the metrics route. */
import { Module } from '@nestjs/common';
import { RouteTable } from '../../http/routes/route-table.js';
import { MetricsRoute } from './metrics.routes.js';

/** The registry belongs to the application: every module adds its own metrics to it. */
@Module({ providers: [MetricsRoute] })
export class MetricsModule {
  constructor(table: RouteTable, route: MetricsRoute) {
    table.add(route);
  }
}
