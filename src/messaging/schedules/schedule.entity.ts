/** The schedules in memory, and the states of the messages of their last triggers. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import { Messages } from '../messages/message.entity.js';
import type { ScheduleCommand } from './schedule.commands.js';
import { type ScheduleView, scheduleDecider } from './schedule.decider.js';
import type { ScheduleEvent } from './schedule.events.js';
import type { ScheduleState } from './schedule.machine.js';
import { ScheduledMessages } from './scheduled-messages.projection.js';

/**
 * Waiting schedules rest as bytes; the definitions of their messages are only in the journal
 * (`StoredDefinitions`).
 */
@Injectable()
export class Schedules extends Entity<ScheduleState, ScheduleCommand, ScheduleEvent, ScheduleView> {
  /** The states of the messages that schedules published. */
  readonly messages: ScheduledMessages;

  constructor(engine: Engine, messages: Messages) {
    const scheduled = new ScheduledMessages();
    super(engine, { decider: scheduleDecider, view: scheduled, folds: [scheduled] });
    messages.follow(scheduled);
    this.messages = scheduled;
  }
}
