/** Wiring of the groups of dead letters, which are counted on request. */
import { Module } from '@nestjs/common';
import { DeadLettersModule } from '../dead-letters/dead-letters.module.js';
import { LetterGroupsController } from './letter-groups.controller.js';
import { DeadLetterGroups } from './letter-groups.js';

/** Separate from the module of dead letters, because only people request groups. */
@Module({
  imports: [DeadLettersModule],
  controllers: [LetterGroupsController],
  providers: [DeadLetterGroups],
})
export class DeadLetterGroupsModule {}
