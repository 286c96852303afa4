/** Wiring of what is remembered of reveals (administration.md 1.5). */
import { Module } from '@nestjs/common';
import { Reveals } from './reveal.entity.js';
import { RevealRecorder } from './reveal-recorder.js';

@Module({ providers: [Reveals, RevealRecorder], exports: [RevealRecorder] })
export class RevealsModule {}
