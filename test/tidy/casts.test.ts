import { unexplainedCasts } from './casts.js';
import { sourceFile, sourceTree } from './source-tree.js';

const castsIn = (code: string) => unexplainedCasts(sourceFile('src/x.ts', code));

describe('a cast', () => {
  it('is found where no comment explains it, with its line', () => {
    const line = 'src/x.ts:2: a cast needs its reason above it';
    expect(castsIn('const given: unknown = 1;\nconst made = given as number;\n')).toEqual([line]);
    const far = ['// Why.', '', '', '', 'const made = given as number;', ''].join('\n');
    expect(castsIn(far)).toEqual(['src/x.ts:5: a cast needs its reason above it']);
  });

  it.each([
    'const made = given as const;\n',
    'const made = JSON.parse(text) as Made;\n',
    '// It was looked at.\nconst made = given as Made;\n',
    'const text = "given as Made";\n',
    'import { given as made } from "./x.js";\n',
  ])('is none, or has its reason: %j', (code) => {
    expect(castsIn(code)).toEqual([]);
  });

  it('has its reason above it everywhere', () => {
    expect(sourceTree().flatMap(unexplainedCasts)).toEqual([]);
  });
});
