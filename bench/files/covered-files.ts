/** Which files of the product have a function that runs while something happens. */
import { type Profiler, Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

const product = /\/dist\/((?:src|storage)\/.*)\.js$/;

/** Runs `happen` and lists the product's files whose functions ran meanwhile, sorted. */
export async function coveredFiles(happen: () => Promise<unknown>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await happen();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result
    .filter(({ url, functions }) => url.startsWith('file:') && functions.some(hasRun))
    .flatMap(({ url }) => product.exec(fileURLToPath(url))?.[1] ?? [])
    .sort();
}

/** The first range of a function counts its calls. */
function hasRun({ ranges }: Profiler.FunctionCoverage): boolean {
  return (ranges[0]?.count ?? 0) > 0;
}
