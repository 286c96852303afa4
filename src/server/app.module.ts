/** The table of contents: one line per feature. */
import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { Registry } from 'prom-client';
import { ConsoleModule } from '../console/console.module.js';
import { JournalClock } from '../engine/clock.js';
import { ProcessLife } from '../engine/lifecycle/process-life.js';
import { EngineMetrics } from '../engine/metrics/engine.metrics.js';
import { provided } from '../engine/provided.js';
import { shippedStreamSizes } from '../engine/resting/stream-sizes.js';
import { version } from '../grammar/version.js';
import { InFlight } from '../http/bytes/in-flight.js';
import { Failures } from '../http/failures.js';
import { BasicCredentials } from '../http/identity/basic-auth.js';
import { BearerTokens } from '../http/identity/bearer-token.js';
import { SeenClients } from '../http/identity/seen-clients.js';
import { RouteTable } from '../http/routes/route-table.js';
import { DeadLetterGroupsModule } from '../messaging/dead-letter-groups/letter-groups.module.js';
import { DeadLettersModule } from '../messaging/dead-letters/dead-letters.module.js';
import { DeliveryModule } from '../messaging/delivery/delivery.module.js';
import { FlowControlModule } from '../messaging/flow-control/flow-control.module.js';
import { MessageLogsModule } from '../messaging/logs/message-logs.module.js';
import { MessageJobsModule } from '../messaging/message-jobs/message-jobs.module.js';
import { OriginsModule } from '../messaging/origins/origins.module.js';
import { outboundModule } from '../messaging/outbound/outbound.module.js';
import { PublishingModule } from '../messaging/publishing/publishing.module.js';
import { QueuesModule } from '../messaging/queues/queues.module.js';
import { ScheduleTimesModule } from '../messaging/schedule-times/schedule-times.module.js';
import { SchedulesModule } from '../messaging/schedules/schedules.module.js';
import { ShownMessagesModule } from '../messaging/shown-messages/shown-messages.module.js';
import { SigningKeysModule } from '../messaging/signing-keys/signing-keys.module.js';
import { UrlGroupsModule } from '../messaging/url-groups/url-groups.module.js';
import { WaitingModule } from '../messaging/waiting/waiting.module.js';
import { WhyMessageModule } from '../messaging/why/why-message.module.js';
import { TopicsAdminModule } from '../topics/admin/topics-admin.module.js';
import { ConsumersModule } from '../topics/consume/consumers.module.js';
import { RestCredentialsModule } from '../topics/credentials/rest-credentials.module.js';
import { FetchModule } from '../topics/fetch/fetch.module.js';
import { GroupsAdminModule } from '../topics/groups-admin/groups-admin.module.js';
import { ProduceModule } from '../topics/produce/produce.module.js';
import { PushesModule } from '../topics/pushes/pushes.module.js';
import type { TopicSettings } from '../topics/settings.js';
import { SubscriptionsModule } from '../topics/subscriptions/subscriptions.module.js';
import { TailModule } from '../topics/tail/tail.module.js';
import { isolatesDamage } from '../topics/topics/topic-log-name.js';
import { ActiveRunsModule } from '../workflows/active-runs/active-runs.module.js';
import { EventsModule } from '../workflows/events/events.module.js';
import { FailedRunsModule } from '../workflows/failed-runs/failed-runs.module.js';
import { RunLogsModule } from '../workflows/logs/run-logs.module.js';
import { RunRequestsModule } from '../workflows/requests/run-requests.module.js';
import { RunJobsModule } from '../workflows/run-jobs/run-jobs.module.js';
import { RunStreamsModule } from '../workflows/run-streams/run-streams.module.js';
import type { WorkflowSettings } from '../workflows/settings.js';
import { RunTracingModule } from '../workflows/tracing/run-tracing.module.js';
import { WhyRunModule } from '../workflows/why/why-run.module.js';
import { ActivityModule } from './activity/activity.module.js';
import { BackupsModule } from './backup/backups.module.js';
import { OwnershipModule } from './cluster/ownership.module.js';
import { FollowingModule } from './cluster-following/following.module.js';
import { ClusterModule } from './cluster-http/cluster.module.js';
import { allowedNetworks, allowedOrigins } from './configuration/config.js';
import { userIdsOf } from './credentials/credentials.js';
import { developmentModules } from './development/development.module.js';
import { EngineModule } from './engine/engine.module.js';
import type { StoreSettings } from './engine/store-opener.js';
import { HealthModule } from './health/health.module.js';
import { JournalSweepsModule } from './history/journal-sweeps.module.js';
import type { HttpSide } from './http-server.js';
import { InboundConnections } from './inbound/connections.js';
import { RefusedRequests } from './inbound/refused-requests.js';
import { JournalModule } from './journal/journal.module.js';
import { LiveModule } from './live/live.module.js';
import { mcpModules } from './mcp/mcp.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { OpenapiModule } from './openapi/openapi.module.js';
import { OverviewModule } from './overview/overview.module.js';
import { openPast, PastModule } from './past/past.module.js';
import { PastDoor } from './past/past-door.js';
import type { Ports } from './ports.js';
import { RefusalsModule } from './refusals/refusals.module.js';
import { ScrubModule } from './scrub/scrub.module.js';
import type { Shared } from './shared.js';
import { SnapshotsModule } from './snapshots/snapshots.module.js';
import { StartPageModule } from './start-page/start-page.module.js';
import { CredentialWatchModule } from './tokens/credential-watch.module.js';
import { TokensModule } from './tokens/tokens.module.js';

/**
 * Empty except for what `applicationModule` passes in. Global, so that features get the shared
 * objects and the ports without importing a module.
 */
@Global()
@Module({})
class AppModule {}

/** Views of messages for people; no other feature depends on them. */
const messageLooks = [
  WhyMessageModule,
  ShownMessagesModule,
  WaitingModule,
  ScheduleTimesModule,
  DeadLetterGroupsModule,
];

const workflowModules = [
  ActiveRunsModule,
  WhyRunModule,
  EventsModule,
  RunRequestsModule,
  RunLogsModule,
  RunStreamsModule,
  RunTracingModule,
  FailedRunsModule,
  RunJobsModule,
];

/** What the HTTP side provides to features. */
function httpProviders(http: HttpSide): Provider[] {
  const { routes, failures, inFlight, connections, refused, pastDoor, seen } = http;
  return [
    { provide: RouteTable, useValue: routes },
    { provide: Failures, useValue: failures },
    { provide: InFlight, useValue: inFlight },
    { provide: InboundConnections, useValue: connections },
    { provide: RefusedRequests, useValue: refused },
    { provide: PastDoor, useValue: pastDoor },
    { provide: SeenClients, useValue: seen },
  ];
}

/** What the process gets from outside: clock, disk, identifiers, log and so on. */
function portProviders(ports: Ports): Provider[] {
  return [
    { provide: JournalClock, useValue: new JournalClock(ports.clock) },
    { provide: provided.clock, useExisting: JournalClock },
    { provide: provided.identifiers, useValue: ports.identifiers },
    { provide: provided.disk, useValue: ports.disk },
    { provide: provided.fileSizes, useValue: ports.fileSizes ?? {} },
    { provide: provided.isolatesDamage, useValue: isolatesDamage },
    { provide: provided.streamSizes, useValue: { ...shippedStreamSizes, ...ports.streamSizes } },
    { provide: provided.consoleFolder, useValue: ports.consoleFolder ?? null },
    { provide: provided.settings, useValue: ports.settings ?? [] },
    { provide: provided.build, useValue: ports.build ?? version },
    { provide: provided.past, useValue: ports.past ?? null },
    { provide: provided.log, useValue: ports.log },
    { provide: provided.fatal, useValue: ports.fatal },
  ];
}

/** What all parts of the application share. */
function sharedProviders(shared: Shared): Provider[] {
  const userIds = userIdsOf(shared.credentials);
  const { config } = shared;
  // Contains the settings that each feature declares as needed.
  const settings: WorkflowSettings & TopicSettings & StoreSettings = {
    ...config,
    allowedNetworks: allowedNetworks(config),
  };
  return [
    { provide: provided.config, useValue: settings },
    { provide: provided.credentials, useValue: shared.credentials },
    {
      provide: provided.userIds,
      useValue: { has: (id: string) => userIds.has(id) || shared.bearer.names(id) },
    },
    { provide: openPast, useValue: shared.openPast },
    { provide: provided.cluster, useValue: shared.cluster },
    { provide: provided.membership, useValue: shared.membership },
    { provide: provided.tracer, useValue: shared.tracer },
    { provide: ProcessLife, useValue: shared.life },
    { provide: Registry, useValue: shared.registry },
    { provide: EngineMetrics, useValue: new EngineMetrics(shared.registry, shared.ports.clock) },
    { provide: BearerTokens, useValue: shared.bearer },
    { provide: BasicCredentials, useValue: shared.basic },
  ];
}

/** The application module, built over the shared objects and the HTTP side. */
export function applicationModule(shared: Shared, http: HttpSide): DynamicModule {
  const { ports, config } = shared;
  const providers = [...httpProviders(http), ...portProviders(ports), ...sharedProviders(shared)];
  const imports = [
    EngineModule,
    outboundModule(ports),
    HealthModule,
    MetricsModule,
    ClusterModule,
    OpenapiModule,
    StartPageModule,
    ConsoleModule,
    SigningKeysModule,
    DeliveryModule,
    ...messageLooks,
    OriginsModule,
    FlowControlModule,
    OwnershipModule,
    MessageLogsModule,
    DeadLettersModule,
    SchedulesModule,
    QueuesModule,
    UrlGroupsModule,
    PublishingModule,
    MessageJobsModule,
    ...workflowModules,
    RestCredentialsModule,
    ProduceModule,
    FetchModule,
    TailModule,
    TopicsAdminModule,
    SubscriptionsModule,
    PushesModule,
    GroupsAdminModule,
    ConsumersModule,
    ActivityModule,
    TokensModule,
    CredentialWatchModule,
    RefusalsModule,
    JournalSweepsModule,
    JournalModule,
    LiveModule,
    OverviewModule,
    PastModule,
    BackupsModule,
    SnapshotsModule,
    FollowingModule,
    ScrubModule,
    // The past is queried through the present server, so a server of the past has no MCP of its
    // own.
    ...mcpModules(config.mcp && shared.openPast !== null, allowedOrigins(config)),
    ...developmentModules(config.isDevelopment, ports.clock),
  ];
  return { module: AppModule, imports, providers, exports: providers };
}
