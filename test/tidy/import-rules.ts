/** Which file may import which: folders have a total order, and a few files have roles. */
import { dirname } from 'node:path';
import { folders } from './folders.js';
import { importsOf, type SourceFile } from './source-tree.js';

/** Files that are pure by role: they wait for nothing and know no framework. */
const pureRole = /\.(commands|events|state|machine|decider|policy|request)\.ts$/;

interface ImportRule {
  readonly name: string;
  readonly from: (path: string) => boolean;
  readonly forbids: (imported: string, from: string) => boolean;
  readonly instead: string;
}

const inFolder = (folder: string) => (path: string) => path.startsWith(folder);
const inProduct = (path: string) => /^(src|storage)\//.test(path);
const rankOf = (path: string) => folders.indexOf(dirname(path));

/** The engine reaches the log through these files only. */
const engineOverStorage =
  /^src\/engine\/(journal|event-codec|turn|engine|commit-groups|recovery|snapshots\/[a-z-]+)\.ts$/;

/** It knows nothing of logs: streams that rest write their ids by it, too. */
const texts = 'storage/format/record-encoding.ts';

/** What each product may not know, of what stands below it in the order of folders or beside it. */
const strangers: Readonly<Record<string, readonly string[]>> = {
  topics: ['workflows'],
  workflows: ['topics'],
  messaging: ['topics', 'workflows'],
};

export const importRules: readonly ImportRule[] = [
  {
    name: 'imports run down only',
    from: inProduct,
    forbids: (imported, from) => inProduct(imported) && rankOf(imported) < rankOf(from),
    instead: 'a file further down, or let the folder above follow this one (`reactTo`, `observe`)',
  },
  {
    name: 'topics and workflows do not know each other',
    from: inProduct,
    forbids: (imported, from) => {
      const product = from.split('/')[1] ?? '';
      return (strangers[product] ?? []).some((other) => imported.startsWith(`src/${other}/`));
    },
    instead: 'a folder of the server that knows both',
  },
  {
    name: 'storage is a library',
    from: inFolder('storage/'),
    forbids: (imported) =>
      imported.startsWith('src/') || /^(@nestjs|xstate|fastify|prom-client)/.test(imported),
    instead: 'pass it in as an option',
  },
  {
    name: 'the engine stands on no framework',
    from: (path) => path.startsWith('src/engine/'),
    forbids: (imported) => /^(@nestjs|fastify)/.test(imported),
    instead: 'wire it in src/server/engine/engine.module.ts',
  },
  {
    name: 'the engine touches the log in few places',
    from: (path) => path.startsWith('src/engine/') && !engineOverStorage.test(path),
    forbids: (imported) => imported.startsWith('storage/') && imported !== texts,
    instead: 'src/engine/journal.ts',
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
      !/^src\/engine\/(machines|lifecycle)\//.test(path),
    forbids: (imported) => imported === 'xstate',
    instead: 'a *.machine.ts',
  },
];

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

/** Circles of imports between files, type imports included: one line each. */
export function importCircles(files: readonly SourceFile[]): string[] {
  const imports = new Map(
    files.filter(({ path }) => inProduct(path)).map((file) => [file.path, importsOf(file)]),
  );
  return circlesOf(imports).map((circle) => `these files import each other: ${circle.join(', ')}`);
}

/** Strongly connected components of more than one node, by Tarjan's algorithm (1972). */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const indexes = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): number => {
    const index = indexes.size;
    indexes.set(node, index);
    let low = index;
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!indexes.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, indexes.get(next) ?? low);
    }
    if (low === index) {
      const circle = stack.splice(stack.indexOf(node));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return low;
  };
  for (const node of graph.keys()) if (!indexes.has(node)) visit(node);
  return circles;
}

/** Folders with more files than a reader takes in at a glance, and folders that have no place. */
export function folderViolations(files: readonly SourceFile[], filesMax = 20): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  const large = [...counts]
    .filter(([, count]) => count > filesMax)
    .map(([folder, count]) => `${folder}: ${count} files; at most ${filesMax}`);
  const homeless = [...counts.keys()]
    .filter((folder) => inProduct(`${folder}/`) && !folders.includes(folder))
    .map((folder) => `${folder}: has no place in test/tidy/folders.ts`);
  return [...large, ...homeless];
}
