import { slowLiterals, slowLiteralsOf } from './slow-literals.js';

describe('a slow literal', () => {
  it('adds a field after a spread, and is found with its line and the names of the fields', () => {
    const text = `
      const shared = { a: 1, b: 2 };
      export const one = () => ({ ...shared, c: 3, d: 4 });
      export const other = (deep: typeof shared) => [{ ...deep, a: 2, c: 3 }];
    `;
    expect(slowLiteralsOf(text)).toEqual(['text.ts:3: c, d', 'text.ts:4: c']);
  });

  it('adds what the spread may not have', () => {
    const text = `
      const shared: { a: number; b?: number } = { a: 1 };
      export const one = () => ({ ...shared, a: 2, b: 3 });
    `;
    expect(slowLiteralsOf(text)).toEqual(['text.ts:3: b']);
  });

  it('has a spread of many fields behind another member', () => {
    const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}: 0`);
    const text = `
      const many = { ${fields(16)} };
      const few = { ${fields(15)} };
      export const one = () => ({ a: 1, ...many });
      export const other = () => ({ ...few, ...many, f1: 1 });
      export const fast = () => [{ a: 1, ...few }, { ...many, f1: 1 }];
    `;
    expect(slowLiteralsOf(text)).toEqual(['text.ts:4: ...many', 'text.ts:5: ...many']);
  });

  it('is not one that replaces, that adds before, or that is made once', () => {
    const text = `
      const shared = { a: 1, b: 2 };
      export const replaced = () => ({ ...shared, a: 2, b: 3 });
      export const before = () => ({ c: 3, ...shared });
      export const once = { ...shared, c: 3 };
    `;
    expect(slowLiteralsOf(text)).toEqual([]);
  });

  it('is nowhere on the way of messages, steps and records', () => {
    expect(slowLiterals()).toEqual([]);
  });
});
