import { slowLiterals, slowLiteralsOf } from './slow-literals.js';

describe('a literal that adds a field after a spread', () => {
  it('is found, with its line and the names of the fields', () => {
    const text = `
      const shared = { a: 1, b: 2 };
      export const one = () => ({ ...shared, c: 3, d: 4 });
      export const other = (deep: typeof shared) => [{ ...deep, a: 2, c: 3 }];
    `;
    expect(slowLiteralsOf(text)).toEqual(['text.ts:3: c, d', 'text.ts:4: c']);
  });

  it('is not one that replaces, that adds before, or that is made once', () => {
    const text = `
      const shared: { a: number; b?: number } = { a: 1 };
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
