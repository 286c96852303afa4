import fc from 'fast-check';
import { sweepEdge } from '../../../src/engine/history/sweep-edge.js';

const minute = 60_000;
const now = 1_767_000_000_000;
const year = 365 * 24 * 60 * minute;

/** A journal of segments with ten events each, which happened this many minutes after now. */
function journalOf(...minutes: readonly number[][]) {
  const times = minutes.map((part) => part.map((each) => now + each * minute));
  const all = times.flat();
  return {
    async offsetFor(time: number) {
      const offset = all.findIndex((each) => each >= time);
      return offset < 0 ? all.length : offset;
    },
    segments: times.map((part, index) => ({
      nextOffset: times.slice(0, index + 1).flat().length,
      latestTime: part.at(-1) ?? 0,
    })),
  };
}

const tenMinutesAgo = now - 10 * minute;
const inAYear = year / minute;

describe('a sweep of the journal', () => {
  it('goes up to the first event that retention keeps', async () => {
    const journal = journalOf([-30, -20], [-15, -5], [-4, 0]);
    expect(await sweepEdge(journal, tenMinutesAgo, now)).toBe(3);
    expect(await sweepEdge(journalOf([-30, -20]), tenMinutesAgo, now)).toBe(2);
  });

  it('passes events of a clock that was ahead, once the events after them are old', async () => {
    const journal = journalOf([-30, inAYear], [inAYear, -20], [-15, -12], [-11, -5], [0]);
    expect(await sweepEdge(journal, tenMinutesAgo, now)).toBe(6);
  });

  it('stops at events of a clock that was ahead, while those after them are young', async () => {
    const journal = journalOf([-30, inAYear], [inAYear, -5], [-4, -20]);
    expect(await sweepEdge(journal, tenMinutesAgo, now)).toBe(1);
    expect(await sweepEdge(journalOf([-30, inAYear]), tenMinutesAgo, now)).toBe(1);
  });

  it('removes nothing more if the clock was set back by mistake', async () => {
    const wrong = -50 * inAYear;
    const still = journalOf([-30, -20], [-3, wrong], [wrong, wrong]);
    const then = now + wrong * minute;
    expect(await sweepEdge(still, then - 10 * minute, then)).toBe(0);
    const repaired = journalOf([-30, -20], [-3, wrong], [wrong, 0]);
    expect(await sweepEdge(repaired, tenMinutesAgo, now)).toBe(2);
  });

  it('passes nothing that retention keeps if the clock was only ever ahead', async () => {
    const parts = fc.array(fc.array(fc.nat(9), { minLength: 1, maxLength: 3 }), { maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(parts, async (steps) => {
        let at = -40;
        const minutes = steps.map((part) =>
          part.map((step) => {
            at = Math.min(0, at + step);
            return step === 9 ? inAYear : at;
          }),
        );
        const edge = await sweepEdge(journalOf(...minutes), tenMinutesAgo, now);
        const kept = minutes.flat().findIndex((each) => each >= -10 && each <= 1);
        if (kept >= 0) expect(edge).toBeLessThanOrEqual(kept);
      }),
    );
  });
});
