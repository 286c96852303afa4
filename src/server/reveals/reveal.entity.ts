/** The entity for records of what was shown in clear. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { RecordReveal } from './reveal.commands.js';
import { revealDecider } from './reveal.decider.js';
import type { JournalRevealed } from './reveal.events.js';

/** `RevealRecorder` writes them; auditors read them in the journal. */
@Injectable()
export class Reveals extends Entity<null, RecordReveal, JournalRevealed> {
  constructor(engine: Engine) {
    super(engine, { decider: revealDecider, view: null, folds: [] });
  }
}
