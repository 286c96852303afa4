/** Wiring of the activity log: a developer sees it by default, an operator at log level `debug`. */
import { Inject, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { Journal } from '../../engine/journal.js';
import { provided } from '../../engine/provided.js';
import { messageKind } from '../../messaging/messages/message.events.js';
import { runKind } from '../../workflows/run-state/run.events.js';
import type { Config } from '../configuration/config.js';
import { ActivityLog } from './activity-log.js';

/** If the log level hides its lines, it observes nothing and costs nothing. */
@Module({})
export class ActivityModule {
  constructor(
    engine: Engine,
    journal: Journal,
    @Inject(provided.config) config: Config,
    @Inject(provided.clock) clock: Clock,
    @Inject(provided.log) log: Logger,
  ) {
    const level = config.isDevelopment ? 'info' : 'debug';
    // No line would be written, so do not observe events.
    if (!log.isLevelEnabled(level)) return;
    const write = (subject: object, line: string) => log[level](subject, line);
    const activity = new ActivityLog(journal, clock, write);
    engine.observe([messageKind, runKind], activity.listen);
  }
}
