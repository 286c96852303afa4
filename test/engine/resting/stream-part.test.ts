import fc from 'fast-check';
import { allStreams, isInPart } from '../../../src/engine/resting/stream-part.js';

const anyOffset = fc.maxSafeNat();
const anyCount = fc.nat(12).map((power) => 2 ** power);

describe('a part of all streams', () => {
  it('has each stream in one of its parts', () => {
    fc.assert(
      fc.property(anyOffset, anyCount, (offset, of) => {
        const numbers = Array.from({ length: of }, (_, number) => number);
        expect(numbers.filter((number) => isInPart(offset, { number, of }))).toHaveLength(1);
        expect(isInPart(offset, allStreams)).toBe(true);
      }),
    );
  });

  it('consists of two of the parts of twice the count', () => {
    fc.assert(
      fc.property(anyOffset, anyCount, fc.nat(), (offset, of, turn) => {
        const number = turn % of;
        const halves = [number, number + of].map((half) => ({ number: half, of: of * 2 }));
        const isInHalf = halves.some((half) => isInPart(offset, half));
        expect(isInHalf).toBe(isInPart(offset, { number, of }));
      }),
    );
  });

  const strides = [1, 4, 5, 16, 640];

  it.each(strides)('has a usual size if streams begin every %d events', (stride) => {
    const of = 64;
    const sizes = new Array<number>(of).fill(0);
    for (let stream = 0; stream < of * 512; stream += 1) {
      const number = sizes.findIndex((_, each) => isInPart(stream * stride, { number: each, of }));
      sizes[number] = (sizes[number] ?? 0) + 1;
    }
    expect(Math.min(...sizes)).toBeGreaterThan(384);
    expect(Math.max(...sizes)).toBeLessThan(640);
  });
});
