/**
 * Stack traces of the bundled program (ADR 43) with the lines of its sources: `src/x.ts:12` where
 * V8 has a column in a line of a thousand functions. Only what is printed is looked up: Node.js
 * itself reads the stack of every error that ends a connection.
 */
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readNow } from '../../../storage/disk/node-disk.js';

/** The file that this module is a part of. */
const file = fileURLToPath(import.meta.url);
const isBundled = file.endsWith('.cjs');

/** Looks the places up in the error that ends a process without a log, before it is printed. */
export function showSourceLinesAtEnd(): void {
  process.on('uncaughtExceptionMonitor', (error) => {
    if (error?.stack !== undefined) error.stack = withSourceLines(error.stack);
  });
}

/** The same stack; where the program is not bundled each source is a file of its own. */
export function withSourceLines(stack: string): string {
  if (!isBundled) return stack;
  const places = stack.split(file);
  const lookedUp = places.slice(1).map((rest) => {
    const [place, line, column] = /^:(\d+):(\d+)/.exec(rest) ?? [''];
    const source = sourceAt(Number(line) - 1, Number(column) - 1);
    return source === null ? file + rest : source + rest.slice(place.length);
  });
  return [places[0], ...lookedUp].join('');
}

/** Read when the first stack is shown, and again when memory was short since. */
let known: WeakRef<SourceMap> | null = null;

/**
 * The source and its line; null where it is not of ours (what packages have is not in the map), or
 * not known now.
 */
function sourceAt(line: number, column: number): string | null {
  const map = known?.deref() ?? readMap();
  if (map === null) return null;
  const entry = map.findEntry(line, column);
  if (!('originalSource' in entry) || entry.originalSource === undefined) return null;
  return `${entry.originalSource}:${entry.originalLine + 1}`;
}

/**
 * Null where it cannot be read now: what is shown may be that no file can be opened, or that the
 * disk fails, and has to be shown all the same.
 */
function readMap(): SourceMap | null {
  try {
    const map = new SourceMap(JSON.parse(readNow(`${file}.map`)));
    known = new WeakRef(map);
    return map;
  } catch {
    return null;
  }
}
