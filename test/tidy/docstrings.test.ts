import { undescribedExports } from './docstrings.js';
import { sourceFile, sourceTree } from './source-tree.js';

const undescribed = (code: string, path = 'src/x.ts') =>
  undescribedExports(sourceFile(path, `/** A file. */\nimport { y } from './y.js';\n${code}`));

describe('what is exported', () => {
  it.each([
    ['export function made(): void {}\n', 'made'],
    ['export async function made() {}\n', 'made'],
    ['export abstract class Made {}\n', 'Made'],
    ['@Injectable()\nexport class Made {}\n', 'Made'],
    ['export interface Made {}\n', 'Made'],
    ['export type Made = string;\n', 'Made'],
    ['export const made = 1;\n', 'made'],
    ['// A remark.\nexport const made = 1;\n', 'made'],
    ['/* A drawing. */\nexport const made = 1;\n', 'made'],
    ['/** Of another. */\nconst other = 1;\nexport const made = other;\n', 'made'],
  ])('is found without a docstring, with its line: %j', (code, name) => {
    const line = 2 + code.split('\n').findIndex((each) => /^(@|export)/.test(each)) + 1;
    expect(undescribed(code)).toEqual([
      `src/x.ts:${line}: ${name} is exported without a docstring; say what it is for`,
    ]);
  });

  it.each([
    '/** Made. */\nexport const made = 1;\n',
    '/** Made. */\n// A remark.\nexport const made = 1;\n',
    '/** Made. */\n@Injectable()\nexport class Made {}\n',
    "export { y } from './y.js';\nexport type { Y } from './y.js';\n",
    'const made = 1;\nexport { made as default };\n',
    'function own(): void {}\n',
  ])('has a docstring, or is none of the file: %j', (code) => {
    expect(undescribed(code)).toEqual([]);
  });

  it('may be described with its file, which it begins', () => {
    const text = '/** One noun. */\nexport interface One {}\n\nexport interface Other {}\n';
    expect(undescribedExports(sourceFile('src/x.ts', text))).toHaveLength(1);
  });

  it('may be a component that is all of its file', () => {
    const one = 'export function One() {}\n';
    expect(undescribed(one, 'src/console/web/one.tsx')).toEqual([]);
    expect(undescribed(`${one}export const two = 2;\n`, 'src/console/web/one.tsx')).toHaveLength(2);
  });

  it('is not looked at outside of the product', () => {
    expect(undescribed('export const made = 1;\n', 'test/x.ts')).toEqual([]);
  });

  it('has a docstring everywhere', () => {
    expect(sourceTree().flatMap(undescribedExports)).toEqual([]);
  });
});
