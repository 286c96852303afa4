/** Wiring of the requests for workflow runs, which arrive as publishes or as triggers. */
import { Inject, Module } from '@nestjs/common';
import { provided } from '../../engine/provided.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { Publisher } from '../../messaging/publishing/publisher.js';
import { PublishingModule } from '../../messaging/publishing/publishing.module.js';
import type { WorkflowSettings } from '../settings.js';
import { runInterpreter } from './run-interpreter.js';
import { BatchTriggerRoute, TriggerRoute } from './trigger.routes.js';

/** Makes `runInterpreter` read the publishes that carry options of workflows. */
@Module({ imports: [PublishingModule] })
export class RunRequestsModule {
  constructor(
    publisher: Publisher,
    table: RouteTable,
    @Inject(provided.config) { maxBatchBytes, maxBodyBytes }: WorkflowSettings,
  ) {
    publisher.interpret(runInterpreter);
    const limits = { batchBytesMax: maxBatchBytes, bodyBytesMax: maxBodyBytes };
    table.add(
      new TriggerRoute('/v2/trigger/*', publisher),
      new TriggerRoute('/v2/trigger', publisher),
      new BatchTriggerRoute(publisher, limits),
    );
  }
}
