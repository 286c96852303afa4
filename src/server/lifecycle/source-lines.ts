/**
 * Stack traces of the bundled program (ADR 43) with the lines of its sources: `src/x.ts:12` where
 * V8 has a column in a line of a thousand functions.
 */
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readNow } from '../../../storage/disk/node-disk.js';

/** The file that this module is a part of. */
const file = fileURLToPath(import.meta.url);

/** Does nothing where the program is not bundled: there each source is a file of its own. */
export function showSourceLines(): void {
  if (!file.endsWith('.cjs')) return;
  const lines = new SourceLines(`${file}.map`);
  Error.prepareStackTrace = (error, frames) =>
    [String(error), ...frames.map((frame) => `    at ${lines.shown(frame)}`)].join('\n');
}

/** Read when the first stack is shown, and again when memory was short since. */
class SourceLines {
  private map: WeakRef<SourceMap> | null = null;

  constructor(private readonly mapFile: string) {}

  /** As V8 shows it, but for where it is. */
  shown(frame: NodeJS.CallSite): string {
    const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
    if (frame.getFileName() !== file || line === null || column === null) return `${frame}`;
    const entry = this.entry(line - 1, column - 1);
    // What packages have is not in the map.
    if (!('originalSource' in entry) || entry.originalSource === undefined) return `${frame}`;
    const { originalSource, originalLine } = entry;
    return `${frame}`.replace(`${file}:${line}:${column}`, `${originalSource}:${originalLine + 1}`);
  }

  private entry(line: number, column: number) {
    let map = this.map?.deref();
    if (map === undefined) {
      map = new SourceMap(JSON.parse(readNow(this.mapFile)));
      this.map = new WeakRef(map);
    }
    return map.findEntry(line, column);
  }
}
