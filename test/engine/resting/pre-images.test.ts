import fc from 'fast-check';
import { PreImages } from '../../../src/engine/resting/pre-images.js';
import { TurnChanges } from '../../../src/engine/turn-changes.js';

type Inner = Map<number, number>;
type Value = number | Inner;

const anyChange = fc.record({
  key: fc.nat(6),
  inner: fc.option(fc.nat(2)),
  value: fc.option(fc.nat(99)),
  isReverted: fc.boolean(),
});

/** Sets or removes an entry, or one of a map within it. */
function apply(
  changes: TurnChanges,
  map: Map<number, Value>,
  { key, inner, value }: { key: number; inner: number | null; value: number | null },
): void {
  const own = map.get(key);
  if (inner === null) {
    if (value === null) changes.delete(map, key);
    else changes.set(map, key, value % 3 === 0 ? new Map<number, number>() : value);
  } else if (own instanceof Map) {
    if (value === null) changes.delete(own, inner);
    else changes.set(own, inner, value);
  }
}

const shown = (entries: Iterable<readonly [number, Value]>) =>
  new Map([...entries].map(([key, value]) => [key, value instanceof Map ? new Map(value) : value]));

describe('images of maps', () => {
  it('show one moment, whatever changes while they are read', () => {
    fc.assert(
      fc.property(
        fc.array(anyChange, { size: 'large' }),
        fc.array(fc.tuple(anyChange, fc.nat(2)), { size: 'large' }),
        (before, during) => {
          const images = new PreImages();
          const changes = new TurnChanges(true, images);
          const map = new Map<number, Value>();
          for (const change of before) apply(changes, map, change);
          changes.keep();
          const then = shown(map);
          images.begin();
          const passed: (readonly [number, Value])[] = [];
          const pass = images.pass(map);
          for (const [change, steps] of during) {
            apply(changes, map, change);
            if (change.isReverted) changes.revert();
            else changes.keep();
            for (let step = 0; step < steps; step += 1) {
              const next = pass.next();
              if (next.done !== true) passed.push(next.value);
            }
          }
          passed.push(...pass);
          images.end();
          expect(shown(passed)).toEqual(then);
        },
      ),
    );
  });

  it('show one moment at a time', () => {
    const images = new PreImages();
    images.begin();
    expect(() => images.begin()).toThrow('another moment');
    images.end();
    images.begin();
    expect(images.isOpen).toBe(true);
  });
});
