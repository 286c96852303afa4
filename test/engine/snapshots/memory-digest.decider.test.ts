import {
  memoryDigestDecider,
  type RecordDigest,
} from '../../../src/engine/snapshots/memory-digest.decider.js';
import type { MemoryDigested } from '../../../src/engine/snapshots/memory-digest.events.js';
import { MemoryDigests } from '../../../src/engine/snapshots/memory-digests.js';
import { digestOf, itemsOf } from '../../../src/engine/snapshots/state-digest.js';
import { openEngine } from '../../support/engine.js';

describe('a digest of memory', () => {
  it('is in the journal, and not in memory', async () => {
    const joined: MemoryDigests[] = [];
    const { engine, journal, close } = await openEngine((joining) => {
      joined.push(new MemoryDigests(joining));
    });
    const [digests] = joined;
    const digest = digestOf(itemsOf(engine));
    await digests?.record(7, digest, 'build', 1_767_000_000_000);
    expect(digests?.size).toBe(0);
    expect(digestOf(itemsOf(engine))).toEqual(digest);
    const events: unknown[] = [];
    for await (const envelopes of journal.replay()) events.push(...envelopes);
    expect(events).toMatchObject([
      {
        kind: 'memory-digest',
        id: '7',
        event: { type: 'MemoryDigested', until: 7, label: 'build', hex: digest.hex, sections: [] },
      },
    ]);
    await close();
  });

  it('names the part of memory that it covers, if it covers only one', async () => {
    const ports = { at: 1, kind: 'memory-digest', id: '7', until: 7, label: 'build', hex: 'ab' };
    const command = { type: 'RecordDigest', ...ports, sections: ['run', 1, 'cd'] } as const;
    const decide = (given: RecordDigest) => memoryDigestDecider.decide(given, false, null);
    expect(decide({ ...command, part: [1, 4] })).toMatchObject({
      events: [{ part: [1, 4], sections: ['run', 1, 'cd'] }],
    });
    expect(JSON.stringify(decide(command))).not.toContain('part');
  });

  it('ends with its event', () => {
    const event = { type: 'MemoryDigested' } as MemoryDigested;
    const state = memoryDigestDecider.evolve(false, event, {} as never);
    expect(memoryDigestDecider.isFinal(state)).toBe(true);
    expect(memoryDigestDecider.wants(state, '7')).toEqual([]);
  });
});
