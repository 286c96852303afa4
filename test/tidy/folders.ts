/**
 * The folders of the product from top to bottom. A file may import from its own folder and from
 * every folder below it, types included, and from nothing above.
 */
import { storageFolders } from './storage-folders.js';

export const folders: readonly string[] = [
  // The program.
  'src',
  'src/cli',
  'src/cli/journal',
  // What puts the server together: configuration, listeners, lifecycle, what operators look at.
  'src/server',
  'src/server/openapi',
  'src/server/start-page',
  'src/server/health',
  // The journal as it is shown to people and programs.
  'src/server/journal',
  'src/server/snapshots',
  'src/server/history',
  'src/server/repair',
  'src/server/backup',
  'src/server/scrub',
  'src/server/activity',
  'src/server/tokens',
  'src/server/refusals',
  'src/server/inbound',
  'src/server/metrics',
  'src/server/lifecycle',
  'src/server/credentials',
  'src/server/configuration',
  'src/server/logging',
  // Partitioned log topics.
  'src/topics/credentials',
  'src/topics/pushes',
  'src/topics/subscriptions',
  'src/topics/consume',
  'src/topics/sessions',
  'src/topics/offsets',
  'src/topics/groups',
  'src/topics/fetch',
  'src/topics/produce',
  'src/topics/admin',
  'src/topics/records',
  'src/topics/topics',
  'src/topics',
  // Durable workflow runs.
  'src/workflows/failed-runs',
  'src/workflows/logs',
  'src/workflows/why',
  'src/workflows/shown-steps',
  'src/workflows/history',
  'src/workflows/events',
  'src/workflows/active-runs',
  'src/workflows/requests',
  'src/workflows/deliveries',
  'src/workflows/runs',
  'src/workflows/run-state',
  'src/workflows',
  // Messages: taken in, held back, delivered.
  'src/messaging/logs',
  'src/messaging/dead-letters',
  'src/messaging/publishing',
  'src/messaging/schedules',
  'src/messaging/url-groups',
  'src/messaging/why',
  'src/messaging/queues',
  'src/messaging/flow-control',
  'src/messaging/delivery',
  'src/messaging/messages',
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
