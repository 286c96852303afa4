/** Wiring of the records of reveals (administration.md 1.5). */
import { Module } from '@nestjs/common';
import { Reveals } from './reveal.entity.js';
import { RevealRecorder } from './reveal-recorder.js';

/** Imported by everything that shows data in clear: the journal, and backups. */
@Module({ providers: [Reveals, RevealRecorder], exports: [RevealRecorder] })
export class RevealsModule {}
