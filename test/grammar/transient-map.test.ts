import { GCProfiler } from 'node:v8';
import * as fc from 'fast-check';
import { TransientMap } from '../../src/grammar/transient-map.js';
import { collect } from '../support/program/kept-bytes.js';

type HeapStatistics = ReturnType<GCProfiler['stop']>['statistics'][number]['beforeGC'];

const key = fc.constantFrom('a', 'b', 'c', 'd');
const change = fc.oneof(
  fc.record({ do: fc.constant('set' as const), key, value: fc.nat() }),
  fc.record({ do: fc.constant('delete' as const), key }),
  fc.record({ do: fc.constant('takeFirst' as const) }),
  fc.record({ do: fc.constant('clear' as const) }),
);

/** The result of a `Map` for the same call. */
function takeFirst(map: Map<string, number>): number | undefined {
  for (const [first, value] of map) {
    map.delete(first);
    return value;
  }
  return undefined;
}

/** Bytes that collections of young objects move to the old space while `work` runs. */
function promotedBytes(work: () => void): number {
  const profiler = new GCProfiler();
  profiler.start();
  work();
  let promoted = 0;
  for (const { gcType, beforeGC, afterGC } of profiler.stop().statistics) {
    if (gcType === 'Scavenge') promoted += oldBytes(afterGC) - oldBytes(beforeGC);
  }
  return promoted;
}

function oldBytes({ heapSpaceStatistics }: HeapStatistics): number {
  const old = heapSpaceStatistics.find(({ spaceName }) => spaceName === 'old_space');
  if (old === undefined) throw new Error('V8 names no old space');
  return old.spaceUsedSize;
}

/** There are always a hundred values, of a kilobyte each. */
function passThrough(map: TransientMap<number, unknown>, values: number): void {
  for (let number = 0; number < values; number += 1) {
    // This moves its table to the old space, as happens in a server after a while.
    if (number === 1000) collect();
    map.set(number, new Array(128).fill(number));
    map.delete(number - 100);
  }
}

describe('a map for entries that come and go', () => {
  it('holds and orders what a Map does', () => {
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const expected = new Map<string, number>();
        const map = new TransientMap<string, number>();
        for (const each of changes) {
          if (each.do === 'set') {
            map.set(each.key, each.value);
            expected.set(each.key, each.value);
          } else if (each.do === 'delete') {
            expect(map.delete(each.key)).toBe(expected.delete(each.key));
          } else if (each.do === 'takeFirst') {
            expect(map.takeFirst()).toBe(takeFirst(expected));
          } else {
            map.clear();
            expected.clear();
          }
          expect([...map]).toEqual([...expected]);
          expect([...map.entries()]).toEqual([...expected]);
          expect([...map.keys()]).toEqual([...expected.keys()]);
          expect([...map.values()]).toEqual([...expected.values()]);
          expect(map.size).toBe(expected.size);
          for (const name of ['a', 'e']) {
            expect(map.get(name)).toBe(expected.get(name));
            expect(map.has(name)).toBe(expected.has(name));
          }
        }
        const seen: [string, number][] = [];
        map.forEach((value, name) => {
          seen.push([name, value]);
        });
        expect(seen).toEqual([...expected]);
      }),
    );
  });

  it('may change while its values are iterated over', () => {
    const map = new TransientMap<number, string>();
    map.set(1, 'one').set(2, 'two').set(3, 'three');
    const seen: string[] = [];
    for (const value of map.values()) {
      seen.push(value);
      map.delete(2);
    }
    expect(seen).toEqual(['one', 'three']);
  });

  it('lets young collections free what was deleted', () => {
    const values = 300_000;
    const promoted = promotedBytes(() => passThrough(new TransientMap(), values));
    // With a `Map` it is more than half of them.
    expect(promoted).toBeLessThan((values * 1024) / 20);
  });
});
