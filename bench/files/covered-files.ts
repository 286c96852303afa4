/** Which files of the product have a function that runs while something happens. */
import { type Profiler, Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

const product = /\/dist\/((?:src|storage)\/.*)\.js$/;

/** A file of the product, and the names of those of its functions that ran, in its order. */
export interface CoveredFile {
  readonly path: string;
  readonly functions: readonly string[];
}

/** Runs `happen` and lists the product's files whose functions ran meanwhile, sorted. */
export async function coveredFiles(
  happen: () => Promise<unknown>,
): Promise<readonly CoveredFile[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await happen();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result
    .flatMap((script) => fileOf(script))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

function fileOf({ url, functions }: Profiler.ScriptCoverage): readonly CoveredFile[] {
  const path = url.startsWith('file:') ? product.exec(fileURLToPath(url))?.[1] : undefined;
  const run = functions.filter(hasRun).map(({ functionName }) => functionName || '(anonymous)');
  return path === undefined || run.length === 0 ? [] : [{ path, functions: run }];
}

/** The first range of a function counts its calls. */
function hasRun({ ranges }: Profiler.FunctionCoverage): boolean {
  return (ranges[0]?.count ?? 0) > 0;
}
