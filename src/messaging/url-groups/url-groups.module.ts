/** Wiring of URL groups. */
import { Module } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { urlGroupDecider } from './url-group.decider.js';
import { UrlGroupsController } from './url-groups.controller.js';

@Module({ controllers: [UrlGroupsController] })
export class UrlGroupsModule {
  constructor(engine: Engine) {
    engine.register({ decider: urlGroupDecider, view: null, folds: [] });
  }
}
