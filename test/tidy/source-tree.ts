/** The tree as the tidy tests see it: every source file, read once. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** One file of the tree. */
export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
}

const root = join(import.meta.dirname, '../..');
const folders = ['src', 'storage', 'bench', 'test'];

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.name !== 'node_modules') yield* walk(path);
  }
}

/** A file of the tree, or of a test's imagination. */
export function sourceFile(path: string, text: string): SourceFile {
  return { path, text, lines: text.replace(/\n$/, '').split('\n') };
}

/** Every TypeScript file (`.ts`, `.tsx`) below `src`, `storage`, `bench` and `test`. */
export function sourceTree(): SourceFile[] {
  return folders
    .flatMap((folder) => [...walk(join(root, folder))])
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => sourceFile(relative(root, path), readFileSync(path, 'utf8')));
}

/** Every Markdown document: those of the root, and of what is beside the sources. */
export function documentTree(): SourceFile[] {
  const ofRoot = readdirSync(root).map((name) => join(root, name));
  const folders = ['docs', 'storage', 'bench', 'deploy', 'examples'];
  const ofFolders = folders.flatMap((name) => [...walk(join(root, name))]);
  return [...ofRoot, ...ofFolders]
    .filter((path) => path.endsWith('.md'))
    .map((path) => sourceFile(relative(root, path), readFileSync(path, 'utf8')));
}

/** Whether the repository has a file or folder at a path from its root. */
export function isInRepository(path: string): boolean {
  return existsSync(join(root, path));
}

/**
 * The text with comments blanked, so that prose is not taken for code. Lines keep their numbers.
 */
export function withoutComments(text: string): string {
  const blank = (comment: string) => comment.replace(/[^\n]/g, ' ');
  return text.replace(/\/\*[\s\S]*?\*\//g, blank).replace(/(^|\s)\/\/[^\n]*/g, blank);
}

/** Where a text stands in its file, and what it says. */
export interface Prose {
  readonly line: number;
  readonly text: string;
}

/** The comments of a file, line by line, without its code. */
export function commentsOf({ text }: SourceFile): Prose[] {
  return linesOf(text, /(?<=^|\s)(?:\/\*[\s\S]*?\*\/|\/\/[^\n]*)/gm);
}

/**
 * The names of a file's tests: the first argument of `it`, `test` and `describe`, or of what their
 * `each` returns. Rows of a table are not among them: a row holds data as well as names.
 */
export function testNamesOf({ path, text }: SourceFile): Prose[] {
  if (!path.endsWith('.test.ts')) return [];
  return linesOf(text, /(?:\b(?:it|test|describe)|\))\(\s*(['"`])(?:\\.|(?!\1)[^\\])*\1/g);
}

function linesOf(text: string, pattern: RegExp): Prose[] {
  return [...text.matchAll(pattern)].flatMap(({ 0: found, index }) => {
    const first = text.slice(0, index).split('\n').length;
    return found.split('\n').map((line, below) => ({ line: first + below, text: line.trim() }));
  });
}

/** The paths a file imports, resolved to the tree for relative ones (`.js` back to `.ts`). */
export function importsOf(file: SourceFile): string[] {
  const specifiers = [...file.text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)];
  return specifiers.map(([, specifier = '']) =>
    specifier.startsWith('.')
      ? join(file.path, '..', specifier).replace(/\.js$/, '.ts')
      : specifier,
  );
}
