/**
 * The folders of the product from top to bottom. A file may import from its own folder and from
 * every folder below it, types included, and from nothing above.
 */
import { storageFolders } from './storage-folders.js';

export const folders: readonly string[] = [
  // The program.
  'src',
  'src/cli',
  'src/cli/completion',
  'src/cli/folder',
  'src/cli/machines',
  'src/cli/doctor',
  'src/cli/bench',
  'src/cli/runs',
  'src/cli/messages',
  'src/cli/topics',
  'src/cli/server',
  'src/cli/client',
  'src/cli/output',
  'src/cli/connect',
  'src/cli/journal',
  // The console in the browser: it imports nothing of the server.
  'src/console/web',
  'src/console/web/reference',
  'src/console/web/shell',
  'src/console/web/overview',
  'src/console/web/messages',
  'src/console/web/message',
  'src/console/web/schedules',
  'src/console/web/schedule',
  'src/console/web/queues',
  'src/console/web/endpoints',
  'src/console/web/dead-letters',
  'src/console/web/settings',
  'src/console/web/workflows',
  'src/console/web/run',
  'src/console/web/topics',
  'src/console/web/topic',
  'src/console/web/time-machine',
  'src/console/web/jobs',
  'src/console/web/publish',
  'src/console/web/past',
  // Buttons that ask before they act.
  'src/console/web/asking',
  // Bodies of messages, answers and records: text, JSON, bytes.
  'src/console/web/bodies',
  'src/console/web/charts',
  'src/console/web/parts',
  // What the texts of filters mean.
  'src/console/web/parts/filters',
  'src/console/web/api',
  'src/console/web/time',
  // A run as lanes of bars, for browsers and terminals.
  'src/run-waterfall',
  // What puts the server together: configuration, listeners, lifecycle, what operators look at.
  'src/server',
  'src/server/openapi',
  'src/server/start-page',
  // The console, as far as it is the server's: sessions and files.
  'src/console',
  // How store, journal and engine are opened, recovered and stopped.
  'src/server/engine',
  // What only a developer's server has.
  'src/server/development',
  'src/server/health',
  // Tools for models, over HTTP.
  'src/server/mcp',
  // How the server is: its numbers, settings and build.
  'src/server/overview',
  // What happens, while it happens.
  'src/server/live',
  // What was, as every route shows it.
  'src/server/past',
  // The journal as it is shown to people and programs.
  'src/server/journal',
  'src/server/snapshots',
  // What a node of a cluster does to its folder while it follows.
  'src/server/cluster-following',
  'src/server/repair',
  'src/server/history',
  // Folders that nodes of a cluster give each other.
  'src/server/copies',
  'src/server/backup',
  // Disks that may not answer.
  'src/server/disks',
  'src/server/scrub',
  'src/server/activity',
  'src/server/tokens',
  'src/server/refusals',
  'src/server/reveals',
  // Every node of a cluster answers: the owner itself, others by passing requests on.
  'src/server/cluster-http',
  'src/server/inbound/sockets',
  'src/server/inbound',
  // This server as a node of a cluster.
  'src/server/cluster',
  // What such a node notes in its own folder.
  'src/server/cluster/kept',
  // Spans and metrics for a collector.
  'src/server/telemetry',
  'src/server/metrics',
  'src/server/lifecycle',
  'src/server/credentials',
  'src/server/configuration',
  'src/server/logging',
  // The tools themselves, and the protocol that carries them.
  'src/mcp',
  // Ownership of a log that nodes share (ADR 63).
  'src/cluster/forwarding',
  'src/cluster/kafka',
  'src/cluster/postgres',
  'src/cluster',
  // Partitioned log topics.
  'src/topics/credentials',
  'src/topics/pushes',
  'src/topics/subscriptions',
  'src/topics/consume',
  'src/topics/groups-admin',
  'src/topics/sessions',
  'src/topics/offsets',
  'src/topics/groups',
  'src/topics/tail',
  'src/topics/fetch',
  'src/topics/produce',
  'src/topics/admin',
  'src/topics/records',
  'src/topics/topics',
  'src/topics',
  // Durable workflow runs.
  'src/workflows/run-jobs',
  'src/workflows/why',
  'src/workflows/failed-runs',
  'src/workflows/run-streams',
  'src/workflows/logs',
  'src/workflows/shown-steps',
  'src/workflows/tracing',
  'src/workflows/history',
  'src/workflows/events',
  'src/workflows/active-runs',
  'src/workflows/requests',
  'src/workflows/deliveries',
  'src/workflows/runs',
  'src/workflows/run-state',
  'src/workflows',
  // Messages: taken in, held back, delivered.
  // What waits and what has ended, as people look at it.
  'src/messaging/message-jobs',
  'src/messaging/shown-messages',
  'src/messaging/dead-letter-groups',
  'src/messaging/schedule-times',
  'src/messaging/why',
  'src/messaging/logs',
  'src/messaging/dead-letters',
  'src/messaging/dead-letter-errors',
  'src/messaging/publishing',
  'src/messaging/schedules',
  'src/messaging/url-groups',
  // Who stands in which line.
  'src/messaging/waiting',
  'src/messaging/origins',
  'src/messaging/queues',
  'src/messaging/flow-control',
  'src/messaging/delivery',
  // Messages as spans, for a collector.
  'src/messaging/tracing',
  'src/messaging/messages',
  // One thing done with many; what can be done stands above.
  'src/messaging/jobs',
  'src/messaging/signing-keys',
  'src/messaging/outbound',
  'src/messaging/gates',
  'src/messaging',
  // What every route stands on.
  'src/http/routes',
  'src/http/bytes',
  'src/http/identity',
  'src/http',
  // The turn: decide, evolve, react, want.
  'src/engine/snapshots',
  'src/engine/history',
  'src/engine/metrics',
  'src/engine/lifecycle',
  'src/engine/reading',
  'src/engine/bulk',
  'src/engine/machines',
  'src/engine',
  'src/engine/principal',
  'src/engine/resting',
  // The log engine.
  ...storageFolders,
  // Text in, value or refusal out.
  'src/grammar',
];
