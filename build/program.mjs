/**
 * The last step of the build: bundles the compiled sources and the packages that they use into one
 * file for the program and one for each thread, so that a start reads one file instead of 1,400.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { packagePart, partPackage, whenAsked } from './when-asked.mjs';

/** At the same depth as `dist/src/cli`, whose files find others relative to their own place. */
const folderOf = (root) => join(root, 'dist', 'src', 'program');

/** Packages with native code, and optional ones: frameworks load those only if they are used. */
const outside = [
  'fs-native-extensions',
  'msgpackr-extract',
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices*',
  '@nestjs/platform-express',
  '@nestjs/websockets*',
  'class-transformer*',
  'class-validator',
  // Packages that find their own files beside them; users install these if needed.
  '@platformatic/kafka',
];

/** How a bundled module finds its own place, and what is not bundled. */
const ownUrl = "const ownUrl=require('node:url').pathToFileURL(__filename).href;";

/**
 * Parts that are seldom used are not in the file that every start reads, but in files beside it.
 */
const partsBeside = {
  name: 'parts-beside',
  setup({ onResolve }) {
    onResolve({ filter: /\.part\.js$/ }, ({ path, kind }) =>
      kind === 'dynamic-import'
        ? { path: `./${basename(path, '.js')}.cjs`, external: true }
        : undefined,
    );
  },
};

/** Whether the files of that build all exist. `digest` identifies the build. */
export async function isBundled(root, digest) {
  const program = await readFile(join(folderOf(root), 'stepwell.cjs'), 'utf8').catch(() => '');
  return (
    program.startsWith(firstLine(digest)) &&
    (await entriesOf(root)).every((entry) =>
      existsSync(join(folderOf(root), `${nameOf(entry)}.cjs`)),
    )
  );
}

/**
 * The launcher reads this line: V8's compilation cache is valid for that file only
 * (bin/stepwell.cjs).
 */
const firstLine = (digest) => `// ${digest}\n`;

/** Bundles the program. Throws the bundler's errors. */
export async function bundle(root, digest) {
  const { build } = await import('esbuild');
  const folder = folderOf(root);
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries((await entriesOf(root)).map((path) => [nameOf(path), path])),
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node20',
    // Only for CommonJS does every version of Node.js accept V8's compilation cache.
    format: 'cjs',
    supported: { 'dynamic-import': false },
    external: outside,
    plugins: [partsBeside, whenAsked],
    define: { 'import.meta.url': 'ownUrl' },
    banner: { js: firstLine(digest) + ownUrl },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    sourcemap: 'external',
    sourcesContent: false,
    logLevel: 'silent',
  });
  for (const { path, text } of outputFiles) if (path.endsWith('.cjs')) refuseWide(path, text);
  await mkdir(folder, { recursive: true });
  await replace(join(folder, licensesFile), await licenses(root, Object.keys(metafile.inputs)));
  // Each map precedes its file in the list, and so also on the disk.
  for (const { path, text } of outputFiles) {
    await replace(path, path.endsWith('.map') ? await ownLines(root, path, text) : text);
  }
  const made = new Set([licensesFile, ...outputFiles.map(({ path }) => basename(path))]);
  const gone = (await readdir(folder)).filter((name) => !made.has(name));
  await Promise.all(gone.map((name) => rm(join(folder, name), { force: true })));
}

/**
 * Throws if a character is not ASCII: V8 keeps a source with a character outside of Latin-1 in
 * twice the memory. The bundler escapes characters in strings; a regular expression must contain
 * `\u00b5` itself.
 */
function refuseWide(path, text) {
  const at = text.search(/\P{ASCII}/u);
  if (at < 0) return;
  throw new Error(
    `${basename(path)} is not ASCII: escape ${JSON.stringify(text.slice(at - 40, at + 20))}`,
  );
}

/** The compiled program, and every thread and part beside it. */
async function entriesOf(root) {
  const compiled = join(root, 'dist', 'src');
  const names = await readdir(compiled, { recursive: true });
  const others = names.filter((name) => /\.(worker|part)\.js$/.test(name)).sort();
  const own = [join('cli', 'main.js'), ...others].map((name) => join(compiled, name));
  return [...own, partPackage];
}

/** `stepwell` or `snapshot.worker`: without its extension. */
function nameOf(path) {
  if (path === partPackage) return packagePart;
  return basename(path) === 'main.js' ? 'stepwell' : basename(path, '.js');
}

/**
 * A source map of our own lines only, for stack traces: reading a map with every token of every
 * package takes a second and 130 MB.
 */
async function ownLines(root, path, text) {
  const { decode, encode } = await import('@jridgewell/sourcemap-codec');
  const { sources, mappings } = JSON.parse(text);
  const paths = sources.map((source) => relative(root, resolve(dirname(path), source)));
  const own = [];
  const numbers = paths.map((name) =>
    name.startsWith('node_modules') ? null : own.push(name) - 1,
  );
  const lines = decode(mappings).map((segments) => {
    const kept = [];
    let at = '';
    for (const [column, source, line] of segments) {
      const number = source === undefined ? null : numbers[source];
      const place = number === null ? '' : `${number}:${line}`;
      if (place === at) continue;
      at = place;
      kept.push(number === null ? [column] : [column, number, line, 0]);
    }
    return kept;
  });
  return JSON.stringify({ version: 3, sources: own, names: [], mappings: encode(lines) });
}

const licensesFile = 'LICENSES.txt';

/** The licenses that must be distributed with the bundled packages. */
async function licenses(root, inputs) {
  const folders = new Set(
    inputs.map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]),
  );
  folders.delete(undefined);
  const texts = await Promise.all(
    [...folders].sort().map((folder) => licenseOf(join(root, folder))),
  );
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

async function licenseOf(folder) {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const files = (await readdir(folder)).filter((file) =>
    /^(licen[cs]e|copying|notice)/i.test(file),
  );
  const texts = await Promise.all(files.sort().map((file) => readFile(join(folder, file), 'utf8')));
  return [`${name} ${version} (${license})\n`, ...texts].join('\n');
}

/** A program that starts meanwhile reads a complete file: the previous one, or this one. */
export async function replace(path, text) {
  const beside = `${path}.${process.pid}`;
  await writeFile(beside, text);
  await rename(beside, path);
}
