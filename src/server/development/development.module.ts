/** Wiring of what only a development server has. */
import { type DynamicModule, Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { ClockController } from './clock.controller.js';
import { MovableClock } from './movable-clock.js';
import { SinkController } from './sink.controller.js';
import { Sink } from './sink.js';
import { SinkRoutes } from './sink.routes.js';

/** Empty, as `developmentModules` adds its parts, which exist only if the clock is movable. */
@Module({})
class DevelopmentModule {}

/** The sink of a development server; only imported if `isDevelopment`. */
@Module({
  controllers: [SinkController],
  providers: [Sink, SinkRoutes],
})
class SinkModule {
  constructor(table: RouteTable, { routes }: SinkRoutes) {
    table.add(...routes);
  }
}

/**
 * The modules with the clock routes, if the clock is movable, and with the sink, if
 * `isDevelopment`.
 */
export function developmentModules(
  isDevelopment: boolean,
  clock: Clock,
): readonly (DynamicModule | typeof SinkModule)[] {
  const sinks = isDevelopment ? [SinkModule] : [];
  if (!(clock instanceof MovableClock)) return sinks;
  const providers = [{ provide: MovableClock, useValue: clock }];
  return [...sinks, { module: DevelopmentModule, controllers: [ClockController], providers }];
}
