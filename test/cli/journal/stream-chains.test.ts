import { StreamChains } from '../../../src/cli/journal/stream-chains.js';
import type { EventEnvelope } from '../../../src/engine/decider.js';

const event = (id: string, sequence: number, offset: number, previous: number): EventEnvelope => ({
  kind: 'message',
  id,
  sequence,
  at: 0,
  offset,
  previous,
  by: null,
  event: { type: 'Happened' },
  body: null,
  byteLength: 0,
});

/** The verdict on the last of these events; the others must follow one another. */
function verdict(startOffset: number, ...events: EventEnvelope[]): string | null {
  const chains = new StreamChains(startOffset);
  const said = events.map((each) => chains.follow(each));
  expect(said.slice(0, -1).every((each) => each === null)).toBe(true);
  return said.at(-1) ?? null;
}

describe('the events of a stream', () => {
  it('follow one another, with events of other streams between them', () => {
    const chain = [event('a', 0, 0, -1), event('b', 0, 1, -1), event('a', 1, 5, 0)];
    expect(verdict(0, ...chain, event('b', 1, 5000, 1))).toBeNull();
  });

  it('may begin before the start of a trimmed journal', () => {
    expect(verdict(100, event('a', 3, 100, 42), event('a', 4, 101, 100))).toBeNull();
  });

  it('may have lost their beginning to a sweep', () => {
    expect(verdict(0, event('a', 0, 0, -1), event('b', 3, 5, 2), event('b', 4, 6, 5))).toBeNull();
  });

  it('may have lost their beginning to a sweep that removed very much', () => {
    expect(verdict(0, event('a', 0, 0, -1), event('b', 20, 1030, 1029))).toBeNull();
    expect(verdict(0, event('a', 0, 0, -1), event('b', 20, 65_583, 65_582))).toBeNull();
  });

  it.each([
    ['is numbered wrong', event('a', 2, 3, 0)],
    ['points at another stream', event('b', 1, 3, 0)],
    ['points at itself', event('a', 1, 3, 3)],
    ['is first but points at what a sweep took', event('b', 0, 3, 2)],
    ['begins in the middle', event('b', 1, 3, -1)],
    ['is first but has one before it', event('a', 0, 3, 0)],
  ])('are no chain if one %s', (_what, broken) => {
    expect(verdict(0, event('a', 0, 0, -1), broken)).toContain('does not follow');
  });

  it('do not fork', () => {
    const chain = [event('a', 0, 0, -1), event('a', 1, 1, 0)];
    expect(verdict(0, ...chain, event('a', 1, 2, 0))).toContain('does not follow');
  });
});
