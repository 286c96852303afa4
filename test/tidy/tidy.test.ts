import { houseViolations, untestedDeciders } from './house-rules.js';
import { importViolations } from './import-rules.js';
import { type SourceFile, sourceFile, sourceTree } from './source-tree.js';

describe('the tree', () => {
  const tree = sourceTree();

  it('is there', () => {
    expect(tree.some((file) => file.path === 'src/engine/engine.ts')).toBe(true);
  });

  it('imports downwards only', () => {
    expect(importViolations(tree)).toEqual([]);
  });

  it('keeps the house rules', () => {
    expect(houseViolations(tree)).toEqual([]);
  });

  it('tests every decider', () => {
    expect(untestedDeciders(tree)).toEqual([]);
  });

  it('is reachable: every product file is imported by another one or is the program', () => {
    expect(unreachable(tree)).toEqual([]);
  });
});

function unreachable(tree: readonly SourceFile[]): string[] {
  const imported = new Set(
    tree.flatMap((file) =>
      [...file.text.matchAll(/'(\.[^']+)\.js'/g)].map(([, path = '']) =>
        new URL(`${path}.ts`, `file:///${file.path}`).pathname.slice(1),
      ),
    ),
  );
  return tree
    .map((file) => file.path)
    .filter((path) => /^(src|storage)\//.test(path) && path !== 'src/main.ts')
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
    ['src/messages/x.ts', '/** . */\nexport class QueueManager {}\n'],
    ['src/messages/x.service.ts', '/** . */\n'],
    ['src/messages/index.ts', '/** . */\n'],
    ['src/messages/messageState.ts', '/** . */\n'],
    ['src/messages/x.ts', 'export const x = 1;\n'],
    ['src/messages/x.ts', `/** . */\n${'x;\n'.repeat(300)}`],
    ['src/messages/x.ts', `/** ${'x'.repeat(100)} */\n`],
    ['src/runs/run.machine.ts', '/** . */\nconst m = { after: { 10: "late" } };\n'],
    ['storage/x.ts', "/** . */\nimport { x } from '../src/engine/clock.js';\n"],
    ['src/engine/x.ts', "/** . */\nimport { x } from '../messages/message.events.js';\n"],
    ['src/engine/x.ts', "/** . */\nimport { x } from '../../storage/record.js';\n"],
    ['src/server/engine.module.ts', "/** . */\nimport { x } from '../topics/topic.decider.js';\n"],
    ['src/queues/x.ts', "/** . */\nimport { x } from '../messages/message.state.js';\n"],
    ['src/queues/x.decider.ts', "/** . */\nimport { x } from '@nestjs/common';\n"],
    ['src/queues/x.ts', "/** . */\nimport { x } from 'xstate';\n"],
  ])('is broken by %s: %#', (path, text) => {
    expect(broken(path, text)).toHaveLength(1);
  });

  it.each([
    ['src/engine/clock.ts', '/** . */\nconst at = Date.now();\n'],
    ['src/messages/x.ts', '/** Not Date.now() but the command. */\n'],
    ['src/queues/x.ts', "/** . */\nimport { x } from '../messages/message.events.js';\n"],
    ['src/queues/x.module.ts', "/** . */\nimport { x } from '../messages/messages.module.js';\n"],
    ['src/runs/run.machine.ts', "/** . */\nimport { setup } from 'xstate';\n"],
  ])('is kept by %s: %#', (path, text) => {
    expect(broken(path, text)).toEqual([]);
  });
});
