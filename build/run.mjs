/**
 * The build: compiles the sources that have changed since the last build to `dist/`, removes output
 * without a source, and bundles the program (`program.mjs`) and the console (`console.mjs`). It
 * does not check types (`npm run check` does). If nothing has changed, it loads no compiler, so
 * that an installation without development dependencies can start.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { buildConsole } from './console.mjs';
import { bundle, isBundled, replace } from './program.mjs';

const root = join(import.meta.dirname, '..');
const folders = ['src', 'storage', 'bench'];

/** Code for browsers is bundled separately. */
const consoleSources = join('src', 'console', 'web');

/** What the last build compiled: `{ recipe, sources }`; `sources` maps paths to digests. */
const stampFile = join(root, 'dist', '.build.json');

/** Beside the program, and published with it: `{ digest }`. */
const buildFile = join(root, 'dist', 'src', 'build.json');
/** The launcher of every start, and another path that leads to it: Node.js resolves the link. */
const launcher = join('..', '..', 'bin', 'stepwell.cjs');
const entry = join(root, 'dist', 'src', 'main.js');

/** @type {import('@swc/core').Options} */
const options = {
  swcrc: false,
  configFile: false,
  cwd: root,
  sourceMaps: true,
  module: { type: 'es6' },
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
};

await build();

async function build() {
  const recipe = await recipeOf([
    'build/run.mjs',
    'build/program.mjs',
    'build/when-asked.mjs',
    'package-lock.json',
  ]);
  const [last, sources, outputs] = await Promise.all([lastBuild(recipe), digests(), findOutputs()]);
  const wanted = new Set([...sources.keys()].map(outputOf));
  const isGone = (output) => output !== entry && !wanted.has(output.replace(/\.map$/, ''));
  const gone = [...outputs].filter(isGone);
  const changed = [...sources.keys()].filter(
    (path) => last.get(path) !== sources.get(path) || !outputs.has(outputOf(path)),
  );
  await Promise.all(gone.map((output) => rm(output, { force: true })));
  if (changed.length > 0) {
    await compile(changed);
    await replace(stampFile, JSON.stringify({ recipe, sources: Object.fromEntries(sources) }));
  }
  const digest = digestOf(recipe, sources);
  if (!(await isBundled(root, digest))) await bundled(digest);
  await nameBuild(digest);
  await linkEntry();
  await buildConsole().catch((error) => fail(error.message));
}

/** The digest by which a server identifies its program: it decides which snapshots it may read. */
function digestOf(recipe, sources) {
  const hash = createHash('sha256').update(recipe);
  for (const path of [...sources.keys()].sort()) {
    if (!path.startsWith('bench')) hash.update(`${path} ${sources.get(path)}\n`);
  }
  return hash.digest('hex');
}

async function bundled(digest) {
  await bundle(root, digest).catch((error) => {
    fail(`build: the program cannot be bundled; run npm ci (${error.message})`);
  });
}

async function nameBuild(digest) {
  const named = JSON.stringify({ digest });
  if ((await readFile(buildFile, 'utf8').catch(() => '')) !== named)
    await replace(buildFile, named);
}

/** Node.js must start with a CommonJS file, so that the thread pool gets its size (ADR 29). */
async function linkEntry() {
  if ((await readlink(entry).catch(() => null)) === launcher) return;
  const beside = `${entry}.${process.pid}`;
  await symlink(launcher, beside);
  await rename(beside, entry);
}

/** What the output depends on besides its source: the compiler, and how it is used. */
async function recipeOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(await readFile(join(root, path)));
  return hash.digest('hex');
}

/** Maps source paths to digests; empty if there was no build, or its recipe was different. */
async function lastBuild(recipe) {
  try {
    const stamp = JSON.parse(await readFile(stampFile, 'utf8'));
    return new Map(stamp.recipe === recipe ? Object.entries(stamp.sources) : []);
  } catch {
    return new Map();
  }
}

/** Maps the path of every source, relative to the root, to a digest of its content. */
async function digests() {
  const paths = (await Promise.all(folders.map((folder) => filesBelow(root, folder)))).flat();
  const sources = paths.filter((path) => path.endsWith('.ts') && !path.startsWith(consoleSources));
  const digest = async (path) => {
    const content = await readFile(join(root, path));
    return [path, createHash('sha256').update(content).digest('base64')];
  };
  return new Map(await Promise.all(sources.map(digest)));
}

/** The absolute paths of all compiled files and their source maps. */
async function findOutputs() {
  const dist = join(root, 'dist');
  const paths = (await Promise.all(folders.map((folder) => filesBelow(dist, folder)))).flat();
  return new Set(
    paths.filter((path) => /\.js(\.map)?$/.test(path)).map((path) => join(dist, path)),
  );
}

/** Paths relative to `base`, without installed packages; empty if the folder does not exist. */
async function filesBelow(base, folder) {
  const entries = await readdir(join(base, folder), { withFileTypes: true }).catch(() => []);
  const below = entries.map((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [path];
    return entry.name === 'node_modules' ? [] : filesBelow(base, path);
  });
  return (await Promise.all(below)).flat();
}

function outputOf(path) {
  return join(root, 'dist', path.replace(/\.ts$/, '.js'));
}

/** Compiles sources; if any fails, exits with 1 and the compiler's errors. */
async function compile(paths) {
  const { transformFile } = await import('@swc/core').catch((error) => {
    fail(
      `build: ${paths.length} sources changed, and the compiler cannot be loaded; ` +
        `run npm ci (${error.message})`,
    );
  });
  const directories = new Set(paths.map((path) => dirname(outputOf(path))));
  for (const directory of directories) await mkdir(directory, { recursive: true });
  const compiled = await Promise.allSettled(
    paths.map(async (path) => {
      const output = outputOf(path);
      const sourceFileName = relative(dirname(output), join(root, path));
      const { code, map } = await transformFile(join(root, path), { ...options, sourceFileName });
      await replace(`${output}.map`, map);
      await replace(output, `${code}\n//# sourceMappingURL=${basename(output)}.map\n`);
    }),
  );
  const complaints = compiled.filter(({ status }) => status === 'rejected');
  if (complaints.length > 0) fail(complaints.map(({ reason }) => String(reason)).join('\n'));
}

function fail(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
