import { RandomlyKept } from '../../src/grammar/collections.js';

describe('a map of randomly kept entries', () => {
  it('keeps every entry up to its size, and that many beyond it', () => {
    const kept = new RandomlyKept<number, string>(100);
    for (let key = 0; key < 100; key += 1) kept.set(key, `${key}`);
    for (let key = 0; key < 100; key += 1) expect(kept.get(key)).toBe(`${key}`);
    for (let key = 100; key < 1000; key += 1) kept.set(key, `${key}`);
    const found = Array.from({ length: 1000 }, (_, key) => kept.get(key));
    expect(found.filter((value) => value !== undefined)).toHaveLength(100);
    expect(kept.get(999)).toBe('999');
  });

  it('replaces the value of an entry that is kept', () => {
    const kept = new RandomlyKept<string, number>(1);
    kept.set('a', 1);
    kept.set('a', 2);
    expect(kept.get('a')).toBe(2);
    kept.set('b', 3);
    expect([kept.get('a'), kept.get('b')]).toEqual([undefined, 3]);
  });

  it('finds most entries again in a walk over a few more than it keeps', () => {
    const kept = new RandomlyKept<number, number>(1000);
    let found = 0;
    for (let walk = 0; walk < 5; walk += 1) {
      found = 0;
      for (let key = 0; key < 1050; key += 1) {
        if (kept.get(key) === undefined) kept.set(key, key);
        else found += 1;
      }
    }
    expect(found).toBeGreaterThan(500);
  });
});
