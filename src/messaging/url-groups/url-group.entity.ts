/** URL groups as features hold them, by their names. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { UrlGroupCommand } from './url-group.commands.js';
import { type UrlGroupState, urlGroupDecider } from './url-group.decider.js';
import type { UrlGroupEvent } from './url-group.events.js';

/** A name that is not there and a group without endpoints are the same. */
@Injectable()
export class UrlGroups extends Entity<UrlGroupState, UrlGroupCommand, UrlGroupEvent> {
  constructor(engine: Engine) {
    super(engine, { decider: urlGroupDecider, view: null, folds: [] });
  }
}
