/** What was shown in clear, as features hold it. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { RecordReveal } from './reveal.commands.js';
import { revealDecider } from './reveal.decider.js';
import type { JournalRevealed } from './reveal.events.js';

/** Written by `RevealRecorder`; auditors read it in the journal. */
@Injectable()
export class Reveals extends Entity<null, RecordReveal, JournalRevealed> {
  constructor(engine: Engine) {
    super(engine, { decider: revealDecider, view: null, folds: [] });
  }
}
