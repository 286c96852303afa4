/** A historic storage bug, put into our own code: which text becomes which, and what notices. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

/** One change of a source file. */
export interface Change {
  /** The path of the file, from the root of the repository. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

export interface Mutant {
  readonly name: string;
  /** Where it happened, and what it did there, in one line. */
  readonly story: string;
  readonly changes: readonly Change[];
  /** Test files, one of which has to fail; paths from the root. */
  readonly tests: readonly string[];
  /** Only tests whose full name matches are run. */
  readonly named?: string;
}

/** The text of a file with all changes of it made. Throws where one does not apply. */
export function mutated(text: string, changes: readonly Change[]): string {
  return changes.reduce((changed, { file, from, to }) => {
    const found = changed.split(from).length - 1;
    if (found !== 1) throw new Error(`${file} has ${found} times, and not once: ${from}`);
    return changed.replace(from, () => to);
  }, text);
}

/** Every file that a mutant changes, by its path, as it is with the changes. */
export function mutatedFiles({ changes }: Mutant): ReadonlyMap<string, string> {
  const files = new Set(changes.map(({ file }) => file));
  return new Map(
    [...files].map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      const own = changes.filter(({ file }) => file === path);
      return [path, mutated(text, own)];
    }),
  );
}
