/**
 * Stack traces of the bundled program (ADR 43) with the lines of its sources: `src/x.ts:12`, where
 * V8 reports a column in a line of a thousand functions. Only stacks that are printed are
 * converted: Node.js itself reads the stack of every error that ends a connection.
 */
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readNow } from '../../../storage/disk/node-disk.js';

/** The bundle that contains this module. */
const file = fileURLToPath(import.meta.url);
const isBundled = file.endsWith('.cjs');

/** Converts the stack of an error that ends the process without a log, before it is printed. */
export function showSourceLinesAtEnd(): void {
  process.on('uncaughtExceptionMonitor', (error) => {
    if (error?.stack !== undefined) error.stack = withSourceLines(error.stack);
  });
}

/**
 * The stack with source lines; if the program is not bundled, the stack already names the source
 * files.
 */
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

/** Read when the first stack is shown, and again if it was freed because memory was short. */
let known: WeakRef<SourceMap> | null = null;

/**
 * The source file and line; null if it is not ours (code of packages is not in the map), or not
 * available now.
 */
function sourceAt(line: number, column: number): string | null {
  const map = known?.deref() ?? readMap();
  if (map === null) return null;
  const entry = map.findEntry(line, column);
  if (!('originalSource' in entry) || entry.originalSource === undefined) return null;
  return `${entry.originalSource}:${entry.originalLine + 1}`;
}

/**
 * Null if the map cannot be read now: the error to show may be that no file can be opened or the
 * disk fails, and it has to be shown nevertheless.
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
