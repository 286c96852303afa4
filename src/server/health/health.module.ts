/** Wiring of the health routes. */
import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { HealthRoutes } from './health.routes.js';

/** Its routes need no credential, and are answered before the journal is recovered. */
@Module({ providers: [HealthRoutes] })
export class HealthModule {
  constructor(table: RouteTable, routes: HealthRoutes, registry: Registry, life: ProcessLife) {
    table.add(...routes.routes);
    const help = 'Number of warnings of GET /health/ready, for an operator to handle.';
    gauge(registry, 'stepwell_warnings', help, () => life.status.warnings?.length ?? 0);
    const ready = 'Whether GET /health/ready answers 200: 1 or 0.';
    gauge(registry, 'stepwell_ready', ready, () => Number(routes.readiness.isReady));
  }
}
