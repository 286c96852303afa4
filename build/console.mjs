/**
 * Builds the console, `src/console/web`, to `dist/console`, each file with its compressed forms. If
 * nothing has changed since the last build, no bundler is loaded, so that an installation without
 * development dependencies can start.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const root = join(import.meta.dirname, '..');
const sources = join(root, 'src', 'console', 'web');
/** The sources that the console shares with the command line. */
const shared = join(root, 'src', 'run-waterfall');
const output = join(root, 'dist', 'console');
/**
 * The digest of what the last build was made from. It is in the output folder, which is replaced as
 * a whole.
 */
const stampFile = join(output, '.build');
const compressible = new Set(['.css', '.html', '.js', '.svg']);

/** Builds if anything has changed. Throws the bundler's errors. */
export async function buildConsole() {
  const names = await namesBelow(sources);
  if (names.length === 0) return;
  const digest = await digestOf([
    ...names.map((name) => join(sources, name)),
    ...(await namesBelow(shared)).map((name) => join(shared, name)),
    join(root, 'build', 'console.mjs'),
    join(root, 'package-lock.json'),
  ]);
  if ((await readFile(stampFile, 'utf8').catch(() => '')) === digest) return;
  const { build } = await import('vite').catch((error) => {
    throw new Error(
      `build: the console changed, and its bundler cannot be loaded; run npm ci (${error.message})`,
    );
  });
  const beside = `${output}.${process.pid}`;
  const configFile = join(sources, 'vite.config.mjs');
  try {
    await build({ configFile, build: { outDir: beside, emptyOutDir: true } });
    await Promise.all((await namesBelow(beside)).map((name) => compress(join(beside, name))));
    await writeFile(join(beside, '.build'), digest);
    await replace(beside);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

/** A server that reads the folder meanwhile finds the files of one build, or none. */
async function replace(beside) {
  await mkdir(join(root, 'dist'), { recursive: true });
  const old = `${output}.${process.pid}.old`;
  await rename(output, old).catch(() => undefined);
  await rename(beside, output);
  await rm(old, { recursive: true, force: true });
}

async function digestOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths)
    hash.update(`${path.slice(root.length)}\n`).update(await readFile(path));
  return hash.digest('hex');
}

/** The files below a folder, relative to it, sorted; empty if the folder does not exist. */
async function namesBelow(folder) {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const isFile = await Promise.all(
    names.map(async (name) => (await stat(join(folder, name))).isFile()),
  );
  return names.filter((name, index) => isFile[index] && !name.endsWith('.md')).sort();
}

async function compress(path) {
  if (!compressible.has(extname(path))) return;
  const bytes = await readFile(path);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}
