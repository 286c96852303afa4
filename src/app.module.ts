/** The table of contents: one line per feature. */
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ActivityModule } from './activity/activity.module.js';
import type { Config } from './config.js';
import { ConsumersModule } from './consumers/consumers.module.js';
import type { Credentials } from './credentials.js';
import { DeadLettersModule } from './dead-letters/dead-letters.module.js';
import { deliveryModule } from './delivery/delivery.module.js';
import { liveStatesMax } from './engine/actor-directory.js';
import { EngineModule } from './engine/engine.module.js';
import { FlowControlModule } from './flow-control/flow-control.module.js';
import { HealthModule } from './health/health.module.js';
import { BasicCredentials } from './http/basic-auth.js';
import { BearerTokens } from './http/bearer-token.js';
import { Failures } from './http/failures.js';
import { RouteTable } from './http/hot-routes.js';
import { InFlight } from './http/in-flight.js';
import { ProcessLife } from './lifecycle/process-life.js';
import { MessageLogsModule } from './message-logs/message-logs.module.js';
import { MessagesModule } from './messages/messages.module.js';
import { Metrics } from './metrics/metrics.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { OpenapiModule } from './openapi/openapi.module.js';
import { type Ports, provided } from './ports.js';
import { PublishingModule } from './publishing/publishing.module.js';
import { QueuesModule } from './queues/queues.module.js';
import { RestCredentialsModule } from './rest-credentials/rest-credentials.module.js';
import { SchedulesModule } from './schedules/schedules.module.js';
import { SigningKeysModule } from './signing-keys/signing-keys.module.js';
import { StartPageModule } from './start-page/start-page.module.js';
import { SubscriptionsModule } from './subscriptions/subscriptions.module.js';
import { isolatesDamage } from './topics/topic-log-name.js';
import { TopicsModule } from './topics/topics.module.js';
import { UrlGroupsModule } from './url-groups/url-groups.module.js';
import { EventsModule } from './workflows/events.module.js';
import { WorkflowsModule } from './workflows/workflows.module.js';

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
