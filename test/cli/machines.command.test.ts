import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DrawnNode, diagramOf } from '../../src/cli/machines/machine-diagram.js';
import { machines } from '../../src/cli/machines/machine-list.js';
import { machineLines } from '../../src/cli/machines/print-machines.js';
import { sourceTree } from '../tidy/source-tree.js';

const shownFile = join(import.meta.dirname, '../../docs/machines.md');

/** All reachable states of a machine, together with their ancestors. */
function reachable(root: DrawnNode): Set<DrawnNode> {
  const found = new Set<DrawnNode>();
  const parents = new Map<DrawnNode, DrawnNode>();
  const enter = (node: DrawnNode): void => {
    const parent = parents.get(node);
    if (parent !== undefined && !found.has(parent)) enter(parent);
    if (found.has(node)) return;
    found.add(node);
    const children = Object.values(node.states);
    const first = node.type === 'parallel' ? children : (node.initial?.target ?? []);
    if (children.length > 0) first.forEach(enter);
    const transitions = [...node.transitions.values(), node.always ?? []].flat();
    for (const { target = [] } of transitions) target.forEach(enter);
  };
  const learn = (node: DrawnNode): void => {
    for (const child of Object.values(node.states)) {
      parents.set(child, node);
      learn(child);
    }
  };
  learn(root);
  enter(root);
  return found;
}

const all = (node: DrawnNode): DrawnNode[] => [node, ...Object.values(node.states).flatMap(all)];

describe('stepwell machines', () => {
  it('prints what the documentation shows', async () => {
    const lines = await machineLines(machines);
    const text = await readFile(shownFile, 'utf8');
    expect(text.slice(text.indexOf('## ')).trimEnd().split('\n')).toEqual(lines);
  });

  it('prints every machine of the product', () => {
    const files = sourceTree().filter(({ path }) => /^src\/.*\.machine\.ts$/.test(path));
    expect(machines).toHaveLength(files.length);
    expect(new Set(machines.map(({ id }) => id)).size).toBe(machines.length);
  });

  it.each(machines.map((machine) => [machine.id, machine] as const))(
    'draws no unreachable state of %s',
    (_, { root }) => {
      const found = reachable(root);
      const lost = all(root).filter((node) => !found.has(node));
      expect(lost.map(({ path }) => path.join('.'))).toEqual([]);
    },
  );

  it('draws guards, final states and internal transitions', () => {
    const run = machines.find(({ id }) => id === 'run');
    if (run === undefined) throw new Error('runs have no machine');
    const lines = diagramOf(run).map((line) => line.trim());
    expect(lines).toContain('active --> succeeded : RunSucceeded');
    expect(lines).toContain('active_running --> active_waiting : [hasWaits]');
    expect(lines).toContain('WaitEnded [isOpenWait]');
    expect(lines).toContain('canceled --> [*]');
  });
});
