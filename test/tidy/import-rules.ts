/** Who may import whom: the architecture as a table. Imports point down; features meet in words. */
import { importsOf, type SourceFile } from './source-tree.js';

/** The words of a feature: the only files of it that other features may import. */
const vocabulary = /\.(commands|events)\.ts$/;

/** Files of a feature that are pure by role: they wait for nothing and know no framework. */
const pureRole = /\.(commands|events|state|machine|decider|policy|request)\.ts$/;

/** Rooms that carry no feature of their own; features stand on them. */
const sharedRooms = new Set([
  'engine',
  'http',
  'delivery',
  'metrics',
  'lifecycle',
  'health',
  'cli',
]);

interface ImportRule {
  readonly name: string;
  readonly from: (path: string) => boolean;
  readonly forbids: (imported: string, from: string) => boolean;
  readonly instead: string;
}

const inFolder = (folder: string) => (path: string) => path.startsWith(folder);
const featureOf = (path: string) => /^src\/([^/]+)\/[^/]+\.ts$/.exec(path)?.[1];
const isFeature = (path: string) => {
  const folder = featureOf(path);
  return folder !== undefined && !sharedRooms.has(folder);
};

/** The engine knows no feature, and reaches the log through these files only. */
const engineOverStorage =
  /^src\/engine\/(journal|event-codec|turn|engine|engine\.module|recovery|snapshots)\.ts$/;

export const importRules: readonly ImportRule[] = [
  {
    name: 'storage is a library',
    from: inFolder('storage/'),
    forbids: (imported) =>
      imported.startsWith('src/') || /^(@nestjs|xstate|fastify)/.test(imported),
    instead: 'pass it in as an option',
  },
  {
    name: 'the engine knows no feature',
    from: (path) => path.startsWith('src/engine/') && !path.endsWith('.module.ts'),
    forbids: (imported) =>
      (imported.startsWith('src/') && !imported.startsWith('src/engine/')) ||
      imported.startsWith('@nestjs'),
    instead: 'register it with the engine',
  },
  {
    name: 'the wiring of the engine knows no feature either',
    from: (path) => path === 'src/server/engine.module.ts',
    forbids: isFeature,
    instead: 'provide it in src/server/app.module.ts',
  },
  {
    name: 'the engine touches the log in few places',
    from: (path) => path.startsWith('src/engine/') && !engineOverStorage.test(path),
    forbids: (imported) => imported.startsWith('storage/'),
    instead: 'src/engine/journal.ts',
  },
  {
    name: 'features meet only in words',
    from: (path) => isFeature(path) && !path.endsWith('.module.ts'),
    forbids: (imported, from) =>
      isFeature(imported) &&
      featureOf(imported) !== featureOf(from) &&
      !vocabulary.test(imported) &&
      !isGrammar(imported),
    instead: "the other feature's *.commands.ts or *.events.ts",
  },
  {
    name: 'pure files stay pure',
    from: (path) => pureRole.test(path),
    forbids: (imported) =>
      /^(@nestjs|fastify|undici)/.test(imported) ||
      imported.startsWith('storage/') ||
      (imported.startsWith('node:') && imported !== 'node:crypto'),
    instead: 'an effect or a controller',
  },
  {
    name: 'xstate lives in machines',
    from: (path) =>
      path.startsWith('src/') &&
      !path.endsWith('.machine.ts') &&
      !/^src\/(engine\/machine-evolve|lifecycle\/.*)\.ts$/.test(path),
    forbids: (imported) => imported === 'xstate',
    instead: 'a *.machine.ts',
  },
];

/** Plain nouns: pure, without state, and anybody may speak them. */
const nouns = [
  // Grammars.
  'duration',
  'retry-delay',
  'retry-after',
  'flow-control-value',
  'cron',
  'destination',
  'run-id',
  'redaction-fields',
  // What the events of a message are found by: whoever cancels one brings them.
  'message-terms',
  // The options of a message or of a retry of one, read from headers.
  'option-reader',
  // What the starter of a run has its endpoint told in headers.
  'run-headers',
  // A message as it is asked for and shown: the same in every listing.
  'message-filter',
  'message-object',
  'message-schema',
  'redaction',
  // A message while it is pending, asked of the engine.
  'pending-message',
  // What messages ask of the runs that they belong to.
  'run-deliveries',
  // What runs are found by, and what they ask of their endpoints' answers.
  'run-terms',
  // The steps that the server itself submits, which logs show too.
  'entry-body',
  // Where a message goes that is published later.
  'message-targets',
  // What others ask of topics, and a record as every interface shows it.
  'topic-access',
  'record-text',
  'record-writer',
  'json-pieces',
  'records-answer',
  'payload-encoding',
  // What is said of records that cannot be read.
  'damaged-records',
];
const grammars = new RegExp(`/(${nouns.join('|')})\\.ts$`);
const isGrammar = (path: string) => grammars.test(path);

/** Every import that the table forbids, one line each. */
export function importViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    importRules
      .filter((rule) => rule.from(file.path))
      .flatMap((rule) =>
        importsOf(file)
          .filter((imported) => rule.forbids(imported, file.path))
          .map(
            (imported) => `${file.path}: imports ${imported} (${rule.name}); use ${rule.instead}`,
          ),
      ),
  );
}
