import { citableIn, citationViolations } from './citations.js';
import {
  houseViolations,
  pictureViolations,
  pictureWords,
  untestedDeciders,
  vagueWords,
} from './house-rules.js';
import { folderViolations, importCircles, importViolations } from './import-rules.js';
import {
  documentTree,
  isInRepository,
  type SourceFile,
  sourceFile,
  sourceTree,
} from './source-tree.js';

describe('the tree', () => {
  const tree = sourceTree();

  it('is there', () => {
    expect(tree.some((file) => file.path === 'src/engine/engine.ts')).toBe(true);
  });

  it('imports down only', () => {
    expect(importViolations(tree)).toEqual([]);
  });

  it('has no circle of imports, types included', () => {
    expect(importCircles(tree)).toEqual([]);
  });

  it('holds at most twenty files in a folder, and each folder has its place', () => {
    expect(folderViolations(tree)).toEqual([]);
  });

  it('keeps the house rules', () => {
    expect(houseViolations(tree)).toEqual([]);
  });

  it('has no pictures in documents, but for decisions', () => {
    const line = '# Notes\n\nThe callback is told.\n';
    const among = (path: string) => pictureViolations([sourceFile(path, line)]);
    expect([among('docs/x.md').length, among('docs/adr/0001-x.md').length]).toEqual([1, 0]);
    expect(pictureViolations(documentTree())).toEqual([]);
  });

  it('tests every decider', () => {
    expect(untestedDeciders(tree)).toEqual([]);
  });

  it('cites what is there', () => {
    const documents = documentTree();
    const citable = citableIn(documents, isInRepository);
    expect(citationViolations([...tree, ...documents], citable)).toEqual([]);
  });

  it('is reachable: every product file is imported by another one or begins a thread', () => {
    expect(unreachable(tree)).toEqual([]);
  });
});

/** The program, and what begins a thread of it. */
function isEntry(path: string): boolean {
  const begins = ['src/cli/main.ts', 'src/console/web/main.tsx', 'src/console/web/docs.tsx'];
  return begins.includes(path) || path.endsWith('.worker.ts');
}

function unreachable(tree: readonly SourceFile[]): string[] {
  const imported = new Set(
    tree.flatMap((file) =>
      [...file.text.matchAll(/'(\.[^']+?)(?:\.js|(\.tsx?))'/g)].map(([, path, extension = '.ts']) =>
        new URL(`${path}${extension}`, `file:///${file.path}`).pathname.slice(1),
      ),
    ),
  );
  return tree
    .map((file) => file.path)
    .filter((path) => /^(src|storage)\//.test(path) && !isEntry(path))
    .filter((path) => !imported.has(path));
}

describe('a rule', () => {
  const broken = (path: string, text: string) => [
    ...houseViolations([sourceFile(path, text)]),
    ...importViolations([sourceFile(path, text)]),
  ];

  it.each([
    ['src/messages/x.ts', '/** . */\nconst at = Date.now();\n'],
    ['src/messages/x.ts', '/** . */\nconst at = Math.random();\n'],
    ['src/messages/x.ts', '/** . */\nsetTimeout(stop, 1);\n'],
    ['src/messages/x.ts', '/** . */\nconst home = process.env;\n'],
    ['src/messages/x.ts', "/** . */\nimport { readFile } from 'node:fs/promises';\n"],
    ['src/messages/x.ts', '/** . */\nconst x = y as any;\n'],
    ['src/messages/x.ts', "/** . */\nthrow new HttpException('x', 412);\n"],
    ['src/messages/x.ts', '/** . */\nexport class QueueManager {}\n'],
    ['src/messages/x.helper.ts', '/** . */\n'],
    ['src/messages/x.ts', '/** . */\nexport class QueueDesk {}\n'],
    ['src/messages/index.ts', '/** . */\n'],
    ['src/messages/messageState.ts', '/** . */\n'],
    ['src/messages/x.ts', 'export const x = 1;\n'],
    ['src/messages/x.ts', `/** . */\n${'x;\n'.repeat(300)}`],
    ['src/messages/x.ts', `/** ${'x'.repeat(100)} */\n`],
    ...[...vagueWords, ...pictureWords].flatMap((word) => [
      ['src/messages/x.ts', `/** Tells ${word} asks. */\n`],
      ['src/messages/x.ts', `/**\n * ${word.toUpperCase()}\n * asks.\n */\n`],
      ['src/messages/x.ts', `/** . */\nstop(); // for ${word}\n`],
      ['test/messages/x.test.ts', `it('tells ${word} it names', () => {});\n`],
      ['test/messages/x.test.ts', `it.each(rows)('tells ${word}: %s', () => {});\n`],
      ['test/messages/x.test.ts', `describe(\n  '${word}\\'s message', () => {});\n`],
    ]),
    ['src/runs/run.machine.ts', '/** . */\nconst m = { after: { 10: "late" } };\n'],
    ['storage/x.ts', "/** . */\nimport { x } from 'fastify';\n"],
    ['src/engine/x.ts', "/** . */\nimport { x } from '../http/failures.js';\n"],
    ['src/engine/x.ts', "/** . */\nimport { x } from '../../storage/format/record.js';\n"],
    ['src/engine/x.ts', "/** . */\nimport { x } from '@nestjs/common';\n"],
    ['src/messaging/messages/x.ts', "/** . */\nimport { x } from '../queues/queue.events.js';\n"],
    ['src/workflows/runs/x.ts', "/** . */\nimport { x } from '../../server/y.js';\n"],
    ['src/topics/groups/x.ts', "/** . */\nimport { x } from '../../workflows/runs/y.js';\n"],
    ['src/messaging/queues/x.decider.ts', "/** . */\nimport { x } from '@nestjs/common';\n"],
    ['src/messaging/queues/x.ts', "/** . */\nimport { x } from 'xstate';\n"],
  ])('is broken by %s: %#', (path, text) => {
    expect(broken(path, text)).toHaveLength(1);
  });

  it.each([
    ['src/engine/clock.ts', '/** . */\nconst at = Date.now();\n'],
    ['src/messages/x.ts', '/** Not Date.now() but the command. */\n'],
    ...[...vagueWords, ...pictureWords].flatMap((word) => [
      ['src/messages/x.ts', `/** . */\nconst ${word} = 'https://${word}.example';\n`],
      ['test/messages/x.test.ts', `it('is refused', () => publish('${word}', '*/*'));\n`],
    ]),
    ['src/messaging/queues/x.ts', "/** . */\nimport { x } from '../messages/y.js';\n"],
    ['src/server/app.module.ts', "/** . */\nimport { x } from '../topics/fetch/y.js';\n"],
    ['src/runs/run.machine.ts', "/** . */\nimport { setup } from 'xstate';\n"],
  ])('is kept by %s: %#', (path, text) => {
    expect(broken(path, text)).toEqual([]);
  });

  it('finds a circle that only types close', () => {
    const one = sourceFile('src/grammar/one.ts', "import { two } from './two.js';\n");
    const two = sourceFile('src/grammar/two.ts', "import type { One } from './one.js';\n");
    expect(importCircles([one, two])).toHaveLength(1);
    expect(importCircles([one])).toEqual([]);
  });

  it('finds a decider without examples or without laws, and a machine without examples', () => {
    const untested = (...paths: string[]) =>
      untestedDeciders(paths.map((path) => sourceFile(path, ''))).map((line) => line.split(':')[0]);
    expect(untested('src/messaging/x.decider.ts', 'test/messaging/x.decider.test.ts')).toEqual([
      'test/messaging/x.decider.laws.test.ts',
    ]);
    expect(untested('src/messaging/x.decider.ts', 'test/messaging/x.decider.laws.test.ts')).toEqual(
      ['test/messaging/x.decider.test.ts'],
    );
    expect(untested('src/messaging/x.machine.ts')).toEqual(['test/messaging/x.machine.test.ts']);
  });

  it('finds a folder that is too large, and one that has no place', () => {
    const files = ['a', 'b'].map((name) => sourceFile(`src/grammar/${name}.ts`, ''));
    expect(folderViolations(files, 1)).toHaveLength(1);
    expect(folderViolations([sourceFile('src/attic/a.ts', '')])).toHaveLength(1);
    expect(folderViolations(files)).toEqual([]);
  });
});

describe('a citation', () => {
  const pages = [
    sourceFile('docs/protocol/messaging.md', '# Messages\n\n## 2. Messages\n\n### 2.1 Publish\n'),
    sourceFile('docs/adr/0017-groups.md', '# 0017. Groups\n'),
    sourceFile('storage/README.md', '# Logs\n\n## After a crash\n'),
  ];
  const paths = new Set(pages.map(({ path }) => path));
  const citable = citableIn(pages, (path) => paths.has(path));
  const broken = (path: string, text: string) =>
    citationViolations([sourceFile(path, text)], citable);

  it.each([
    ['src/x.ts', '/** As messaging.md 2.2 says. */\n', 1],
    ['src/x.ts', '/** As messaging.md 2 and 2.10 say. */\n', 1],
    ['src/x.ts', '/** As topics.md 2 says. */\n', 1],
    ['src/x.ts', '/**\n * As messaging.md\n * 2.2 says.\n */\n', 2],
    ['src/x.ts', '/** As ADR 18 says. */\n', 1],
    ['src/x.ts', '/** As ADRs 17 and 18 say. */\n', 1],
    ['src/x.ts', '/** As storage/README.md "Damage" says. */\n', 1],
    ['src/x.ts', '/** As decision 17 says. */\n', 1],
    ['src/x.ts', '/** Decision 17: as it is. */\n', 1],
    ['src/x.ts', '/** A shape (spec: Events). */\n', 1],
    ['src/x.ts', '/** A call (7.8). */\n', 1],
    ['src/x.ts', '/** A header (log protocol, 1.2). */\n', 1],
    ['src/x.ts', '/**\n * A header (messaging\n * protocol 4.1).\n */\n', 2],
    ['docs/protocol/messaging.md', 'as above (2.3)\n', 1],
    ['docs/x.md', 'see [the page](protocol/messages.md)\n', 1],
    ['docs/x.md', 'see [the page](protocol/messaging.md#3-answers)\n', 1],
  ])('that leads nowhere is reported: %s %j', (path, text, line) => {
    expect(broken(path, text)).toEqual([expect.stringContaining(`${path}:${line}: `)]);
  });

  it.each([
    [
      'src/x.ts',
      '/** As messaging.md 2 and 2.1, ADR 17 and storage/README.md "After a crash" say. */\n',
    ],
    [
      'src/x.ts',
      '/**\n * As messaging.md\n * 2.1 says, and storage/README.md "After a\n * crash".\n */\n',
    ],
    ['docs/protocol/messaging.md', 'as above (2.1)\n'],
    [
      'docs/x.md',
      '[1](protocol/messaging.md#21-publish) [2](https://a.test/b.md) [3](adr/0017-groups.md)\n',
    ],
  ])('that leads somewhere is none: %s %j', (path, text) => {
    expect(broken(path, text)).toEqual([]);
  });
});
