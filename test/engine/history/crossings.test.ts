import { accept } from '../../../src/engine/decider.js';
import type { Engine } from '../../../src/engine/engine.js';
import { bytesPerEvent, Crossings } from '../../../src/engine/history/crossings.js';
import { type EngineOnDisk, openEngine } from '../../support/engine.js';
import { noteDecider } from '../../support/notes.js';

const stretch = 8;

/** Notes whose events have bodies of `bodyBytes`, and the resulting crossings. */
async function opened(bodyBytes: number, directory?: string) {
  const crossings = new Crossings(stretch);
  const { decide } = noteDecider;
  const engine = await openEngine((engine: Engine) => {
    const decider: typeof noteDecider = {
      ...noteDecider,
      decide(state, command, context) {
        const decision = decide(state, command, context);
        return decision.ok ? accept(decision.events, null, Buffer.alloc(bodyBytes)) : decision;
      },
    };
    engine.register({ decider, view: null, folds: [] });
    crossings.follow(engine);
  }, directory);
  return { ...engine, crossings };
}

const note = async ({ engine, journal }: EngineOnDisk, ...about: number[]): Promise<number> => {
  const id = `of ${journal.endOffset}`;
  await engine.dispatch([{ type: 'Note', kind: 'note', id, at: 1, about }]);
  return journal.endOffset - 1;
};

describe('the edges where sweeps may end', () => {
  it('are no further apart than a stretch of events', async () => {
    const small = await opened(1);
    for (let count = 0; count < 3 * stretch; count += 1) await note(small);
    const end = small.journal.endOffset;
    expect(end - small.crossings.edgeAt(end)).toBeLessThanOrEqual(stretch);
    expect(small.crossings.edgeAt(stretch - 1)).toBe(0);
    await small.close();
  });

  it('are no further apart than a stretch of bytes and one event', async () => {
    const large = await opened((stretch * bytesPerEvent) / 2);
    const offsets = [];
    for (let count = 0; count < stretch; count += 1) offsets.push(await note(large));
    const edges = [...new Set(offsets.map((offset) => large.crossings.edgeAt(offset)))];
    // The first turn is decided twice: first the log learns the shape of its events.
    const [, first = 0] = edges;
    expect(edges).toEqual([0, first, first + 2, first + 4, first + 6]);
    await large.close();
  });

  it('are the same after a start, with the needs of newer events for older ones', async () => {
    const large = await opened(stretch * bytesPerEvent);
    const first = await note(large);
    await note(large);
    const third = await note(large, first);
    const end = large.journal.endOffset;
    const edge = large.crossings.edgeAt(end);
    expect(edge).toBe(third);
    expect([...large.crossings.across(edge)]).toEqual([first]);
    await large.close();
    const again = await opened(stretch * bytesPerEvent, large.directory);
    expect(again.crossings.edgeAt(end)).toBe(edge);
    expect([...again.crossings.across(edge)]).toEqual([first]);
    await again.close();
  });
});
