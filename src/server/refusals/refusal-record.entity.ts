/** The entity for records of refused requests. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { RefusalRecordCommand } from './refusal-record.commands.js';
import { refusalRecordDecider } from './refusal-record.decider.js';
import type { RefusalRecordEvent } from './refusal-record.events.js';

/** Exists to be registered: `RefusalRecorder` dispatches the commands. */
@Injectable()
export class RefusalRecords extends Entity<null, RefusalRecordCommand, RefusalRecordEvent> {
  constructor(engine: Engine) {
    super(engine, { decider: refusalRecordDecider, view: null, folds: [] });
  }
}
