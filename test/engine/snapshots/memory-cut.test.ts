import type { Decider } from '../../../src/engine/decider.js';
import type { Engine } from '../../../src/engine/engine.js';
import { MemoryCut } from '../../../src/engine/snapshots/memory-cut.js';
import { ImageReader } from '../../../src/engine/snapshots/memory-image.js';
import { foldingEngine } from '../../support/engine.js';

const nothing: Decider<null, never, never> = {
  kind: 'nothing',
  events: {},
  initialState: () => null,
  decide: (command) => command,
  evolve: () => null,
  wants: () => [],
  isFinal: () => true,
};

/** Registers an index that remembers `lists`. */
const remembering = (lists: Map<string | number, unknown>) => (engine: Engine) => {
  const memory = { name: 'long', maps: { lists } };
  const fold = { memory, evolve: () => undefined };
  engine.register({ decider: nothing, view: null, folds: [fold] });
};

async function partsOf(lists: Map<string | number, unknown>) {
  const { engine, codec } = foldingEngine(remembering(lists));
  const cut = new MemoryCut(engine, codec);
  const parts = [];
  for await (const part of cut.parts()) parts.push(part);
  cut.end();
  return parts;
}

describe('a part of memory', () => {
  it.each([
    ['lists', (items: number[]) => items],
    ['maps', (items: number[]) => new Map(items.map((item) => [item, item]))],
  ])('holds few entries if these are long %s, and none is missing', async (_what, made) => {
    const items = Array.from({ length: 16 * 1024 }, (_, item) => item);
    const entries = Array.from({ length: 20 }, (_, key) => [key, made(items)] as const);
    const parts = await partsOf(new Map(entries));
    expect(parts.filter(({ name }) => name === 'index long lists')).toHaveLength(entries.length);
    const lists = new Map<string | number, unknown>();
    const { engine, codec } = foldingEngine(remembering(lists));
    const reader = new ImageReader(engine, codec);
    for (const part of parts) reader.take(part);
    expect([...lists]).toEqual(entries);
  });

  it('holds many entries if these are short', async () => {
    const parts = await partsOf(new Map(Array.from({ length: 1000 }, (_, key) => [key, [key]])));
    expect(parts.filter(({ name }) => name === 'index long lists')).toHaveLength(1);
  });
});
