/** The URL groups in memory, by name. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { UrlGroupCommand } from './url-group.commands.js';
import { type UrlGroupState, urlGroupDecider } from './url-group.decider.js';
import type { UrlGroupEvent } from './url-group.events.js';

/** An unknown name is the same as a group without endpoints. */
@Injectable()
export class UrlGroups extends Entity<UrlGroupState, UrlGroupCommand, UrlGroupEvent> {
  constructor(engine: Engine) {
    super(engine, { decider: urlGroupDecider, view: null, folds: [] });
  }
}
