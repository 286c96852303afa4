/** Wiring of what only a developer's server has. */
import { type DynamicModule, Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { ClockController } from './clock.controller.js';
import { MovableClock } from './movable-clock.js';

@Module({})
export class DevelopmentModule {}

/** The routes of a clock that may be moved; none where it may not. */
export function developmentModules(clock: Clock): readonly DynamicModule[] {
  if (!(clock instanceof MovableClock)) return [];
  const providers = [{ provide: MovableClock, useValue: clock }];
  return [{ module: DevelopmentModule, controllers: [ClockController], providers }];
}
