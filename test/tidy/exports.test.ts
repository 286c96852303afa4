import { repeatedNames, unusedExports } from './exports.js';
import { sourceFile, sourceTree } from './source-tree.js';

const one = (text: string) => sourceFile('src/one.ts', text);
const other = (text: string) => sourceFile('storage/other.ts', text);

describe('the name of an exported type', () => {
  it.each([
    ['export interface Made {}\n', 'export type Made = string;\n'],
    ['export class Made {}\n', 'export interface Made {}\n'],
    ['export function Made() {}\n', 'export abstract class Made {}\n'],
  ])('is found in two files: %j and %j', (first, second) => {
    expect(repeatedNames([one(first), other(second)])).toEqual([
      'storage/other.ts:1: Made is another one in src/one.ts; name what each is',
    ]);
  });

  it.each([
    ['export interface Made {}\n', "export type { Made } from '../src/one.js';\n"],
    ['export interface Made {}\n', 'interface Made {}\n'],
    ['export function made() {}\n', 'export function made() {}\n'],
  ])('is in one file alone: %j and %j', (first, second) => {
    expect(repeatedNames([one(first), other(second)])).toEqual([]);
  });

  it('is declared once', () => {
    expect(repeatedNames(sourceTree())).toEqual([]);
  });
});

describe('an export', () => {
  it.each([
    ['export const made = 1;\n', "import { other } from '../src/one.js';\n"],
    ['export const made = 1;\nmade.call();\n', "import { made } from '../src/two.js';\n"],
    ['export interface Made {}\n', ''],
    ['export interface Made {}\nconst own: Made = {};\n', ''],
    ['export const made = 1;\n', "import * as whole from '../src/one.js';\nwhole.other();\n"],
  ])('has no importer: %j beside %j', (first, second) => {
    const found = unusedExports([one(first), other(second)]);
    expect(found).toEqual([expect.stringMatching(/^src\/one\.ts:1: no file imports [Mm]ade;/)]);
  });

  it.each([
    ['export const made = 1;\n', "import { made } from '../src/one.js';\n"],
    ['export const made = 1;\n', "import { made as own, type Other } from '../src/one.js';\n"],
    ['export interface Made {}\n', "import {\n  Other,\n  type Made,\n} from '../src/one.js';\n"],
    ['export interface Made {}\n', "export type { Made } from '../src/one.js';\n"],
    ['export const made = 1;\n', "import * as whole from '../src/one.js';\nwhole.made();\n"],
    ['export const made = 1;\n', "const { made } = await import('../src/one.js');\n"],
    [
      'export interface Made {}\nexport function make(): Made {}\n',
      "import { make } from '../src/one.js';\n",
    ],
  ])('has one, or is a part of what has one: %j beside %j', (first, second) => {
    expect(unusedExports([one(first), other(second)])).toEqual([]);
  });

  it('has an importer everywhere', () => {
    expect(unusedExports(sourceTree())).toEqual([]);
  });
});
