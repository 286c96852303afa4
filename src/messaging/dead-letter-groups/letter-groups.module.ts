/** Wiring of the groups of dead letters; they are counted when they are asked for. */
import { Module } from '@nestjs/common';
import { DeadLettersModule } from '../dead-letters/dead-letters.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { LetterGroupsController } from './letter-groups.controller.js';
import { DeadLetterGroups } from './letter-groups.js';

/** Apart from the module of dead letters, as only people ask for groups. */
@Module({
  imports: [DeadLettersModule, MessagesModule],
  controllers: [LetterGroupsController],
  providers: [DeadLetterGroups],
})
export class DeadLetterGroupsModule {}
