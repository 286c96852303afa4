/** Mutants do not rot: each still applies, compiles, and has tests that are there. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@swc/core';
import { mutated, mutatedFiles, root } from './mutant.js';
import { mutants } from './mutants.js';

describe('mutants', () => {
  it('are at least as many as the storage bugs that they are to repeat', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(30);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
    'still change the sources, which still compile, and name tests that are there: %s',
    async (_, mutant) => {
      for (const text of mutatedFiles(mutant).values()) {
        await parse(text, { syntax: 'typescript', decorators: true, target: 'es2023' });
      }
      expect(mutant.changes.filter(({ from, to }) => from === to)).toEqual([]);
      expect(mutant.tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    },
  );

  it('are refused where the text is not there once', () => {
    const change = { file: 'a.ts', from: 'b', to: 'c' };
    expect(mutated('abd', [change])).toBe('acd');
    expect(() => mutated('ad', [change])).toThrow('0 times');
    expect(() => mutated('abb', [change])).toThrow('2 times');
  });
});
