/** The table of contents: one line per feature. */
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { liveStatesMax } from '../engine/actor-directory.js';
import { ProcessLife } from '../engine/lifecycle/process-life.js';
import { InFlight } from '../http/bytes/in-flight.js';
import { Failures } from '../http/failures.js';
import { BasicCredentials } from '../http/identity/basic-auth.js';
import { BearerTokens } from '../http/identity/bearer-token.js';
import { RouteTable } from '../http/routes/hot-routes.js';
import { DeadLettersModule } from '../messaging/dead-letters/dead-letters.module.js';
import { MessagesModule } from '../messaging/delivery/messages.module.js';
import { FlowControlModule } from '../messaging/flow-control/flow-control.module.js';
import { MessageLogsModule } from '../messaging/logs/message-logs.module.js';
import { deliveryModule } from '../messaging/outbound/delivery.module.js';
import { PublishingModule } from '../messaging/publishing/publishing.module.js';
import { QueuesModule } from '../messaging/queues/queues.module.js';
import { SchedulesModule } from '../messaging/schedules/schedules.module.js';
import { SigningKeysModule } from '../messaging/signing-keys/signing-keys.module.js';
import { UrlGroupsModule } from '../messaging/url-groups/url-groups.module.js';
import { ConsumersModule } from '../topics/consume/consumers.module.js';
import { RestCredentialsModule } from '../topics/credentials/rest-credentials.module.js';
import { TopicsModule } from '../topics/fetch/topics.module.js';
import { SubscriptionsModule } from '../topics/subscriptions/subscriptions.module.js';
import { isolatesDamage } from '../topics/topics/topic-log-name.js';
import { WorkflowsModule } from '../workflows/active-runs/workflows.module.js';
import { EventsModule } from '../workflows/events/events.module.js';
import { ActivityModule } from './activity/activity.module.js';
import type { Config } from './configuration/config.js';
import type { Credentials } from './credentials/credentials.js';
import { EngineModule } from './engine.module.js';
import { HealthModule } from './health/health.module.js';
import { Metrics } from './metrics/metrics.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { OpenapiModule } from './openapi/openapi.module.js';
import { type Ports, provided } from './ports.js';
import { StartPageModule } from './start-page/start-page.module.js';

/** What the whole application shares; made before Nest, as the front door needs it too. */
export interface Shared {
  readonly config: Config;
  readonly credentials: Credentials;
  readonly ports: Ports;
  readonly life: ProcessLife;
  readonly metrics: Metrics;
  readonly bearer: BearerTokens;
  readonly basic: BasicCredentials;
}

@Global()
@Module({})
export class AppModule {}

/** The application over what it shares. */
export function applicationModule(
  shared: Shared,
  routes: RouteTable,
  failures: Failures,
  inFlight: InFlight,
): DynamicModule {
  const { ports } = shared;
  const providers = [
    { provide: RouteTable, useValue: routes },
    { provide: Failures, useValue: failures },
    { provide: InFlight, useValue: inFlight },
    { provide: provided.config, useValue: shared.config },
    { provide: provided.credentials, useValue: shared.credentials },
    { provide: provided.clock, useValue: ports.clock },
    { provide: provided.identifiers, useValue: ports.identifiers },
    { provide: provided.disk, useValue: ports.disk },
    { provide: provided.fileSizes, useValue: ports.fileSizes ?? {} },
    { provide: provided.isolatesDamage, useValue: isolatesDamage },
    { provide: provided.liveStates, useValue: ports.liveStates ?? liveStatesMax },
    { provide: provided.log, useValue: ports.log },
    { provide: provided.fatal, useValue: ports.fatal },
    { provide: ProcessLife, useValue: shared.life },
    { provide: Metrics, useValue: shared.metrics },
    { provide: BearerTokens, useValue: shared.bearer },
    { provide: BasicCredentials, useValue: shared.basic },
  ];
  const imports = [
    EngineModule,
    deliveryModule(ports.endpoints),
    HealthModule,
    MetricsModule,
    OpenapiModule,
    StartPageModule,
    SigningKeysModule,
    MessagesModule,
    FlowControlModule,
    MessageLogsModule,
    DeadLettersModule,
    SchedulesModule,
    QueuesModule,
    UrlGroupsModule,
    WorkflowsModule,
    EventsModule,
    PublishingModule,
    RestCredentialsModule,
    TopicsModule,
    SubscriptionsModule,
    ConsumersModule,
    ActivityModule,
  ];
  return { module: AppModule, imports, providers, exports: providers };
}
