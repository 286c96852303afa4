/** Wiring of the publisher and its routes. */
import { Inject, Module } from '@nestjs/common';
import { provided } from '../../engine/provided.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { MessagesModule } from '../messages/messages.module.js';
import type { MessagingSettings } from '../settings.js';
import { UrlGroupsModule } from '../url-groups/url-groups.module.js';
import { BatchRoute } from './batch.routes.js';
import { PublishRoute, ScheduleRoute } from './publish.routes.js';
import { PublishTargets } from './publish-targets.js';
import { Publisher } from './publisher.js';

/** Exports the publisher for runs, subscriptions and other features that publish. */
@Module({
  imports: [MessagesModule, UrlGroupsModule],
  providers: [Publisher, PublishTargets],
  exports: [Publisher, PublishTargets],
})
export class PublishingModule {
  constructor(
    table: RouteTable,
    publisher: Publisher,
    @Inject(provided.config) { maxBatchBytes, maxBodyBytes }: MessagingSettings,
  ) {
    const limits = { batchBytesMax: maxBatchBytes, bodyBytesMax: maxBodyBytes };
    table.add(
      new PublishRoute('publish', '/v2/publish/*', publisher),
      new PublishRoute('publish', '/v2/publish', publisher),
      new PublishRoute('enqueue', '/v2/enqueue/*', publisher),
      new PublishRoute('enqueue', '/v2/enqueue', publisher),
      new ScheduleRoute('/v2/schedules/*', publisher),
      new ScheduleRoute('/v2/schedules', publisher),
      new BatchRoute(publisher, limits),
    );
  }
}
