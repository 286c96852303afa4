/** Wiring of what only a developer's server has. */
import { type DynamicModule, Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { ClockController } from './clock.controller.js';
import { MovableClock } from './movable-clock.js';
import { SinkController } from './sink.controller.js';
import { Sink } from './sink.js';
import { SinkRoutes } from './sink.routes.js';

/**
 * Empty: `developmentModules` gives it its parts, as there are none without a clock that may be
 * moved.
 */
@Module({})
class DevelopmentModule {}

/** The sink of a development server; imported where `isDevelopment` alone. */
@Module({
  controllers: [SinkController],
  providers: [Sink, SinkRoutes],
})
class SinkModule {
  constructor(table: RouteTable, { routes }: SinkRoutes) {
    table.add(...routes);
  }
}

/** The routes of a clock that may be moved, none where it may not; and those of a sink. */
export function developmentModules(
  isDevelopment: boolean,
  clock: Clock,
): readonly (DynamicModule | typeof SinkModule)[] {
  const sinks = isDevelopment ? [SinkModule] : [];
  if (!(clock instanceof MovableClock)) return sinks;
  const providers = [{ provide: MovableClock, useValue: clock }];
  return [...sinks, { module: DevelopmentModule, controllers: [ClockController], providers }];
}
