#!/usr/bin/env node
/**
 * How every start begins: `npx stepwell`, `npm start`, `npm run dev`, and `node dist/src/main.js`,
 * which the build makes a link to this file. It sets the size of the thread pool, which does all
 * work with files. Node creates the pool at its first use and loads ES modules with it, so the size
 * is set before: here, in CommonJS.
 *
 * And it runs the bundled program with what V8 made of it before: to compile it anew is half of a
 * start (ADR 43).
 */
const { readFileSync } = require('node:fs');
const { rename, writeFile } = require('node:fs/promises');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { cachedDataVersionTag } = require('node:v8');
const { Script } = require('node:vm');

/** By then a server has started: V8 has compiled what a start runs. */
const keepAfterMs = 3000;
const isServer = ['start', 'dev'].includes(process.argv[2]);

process.env.UV_THREADPOOL_SIZE ??= '16';
run(join(__dirname, '..', 'dist', 'src', 'program', 'stepwell.cjs'));

function run(filename) {
  const source = programIn(filename);
  // It is good for this build, this V8 and its options only; V8 itself compares no sources.
  const build = source.slice('// '.length, source.indexOf('\n'));
  const kept = join(dirname(filename), `${build}.${cachedDataVersionTag()}.code`);
  const wrapped = `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
  const cachedData = contentOf(kept);
  const script = new Script(wrapped, { filename, cachedData });
  if (isServer && script.cachedDataRejected !== false) keepLater(script, kept);
  const module = { exports: {} };
  script
    .runInThisContext()
    .call(
      module.exports,
      module.exports,
      createRequire(filename),
      module,
      filename,
      dirname(filename),
    );
}

function programIn(filename) {
  try {
    return readFileSync(filename, 'latin1');
  } catch {
    process.stderr.write('stepwell: there is no program yet: run npm ci && npm run build\n');
    return process.exit(1);
  }
}

function contentOf(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Beside the program, and so by who may replace that. It takes V8 some 50 ms, once for a build. */
function keepLater(script, path) {
  const keep = async () => {
    const beside = `${path}.${process.pid}`;
    await writeFile(beside, script.createCachedData());
    await rename(beside, path);
  };
  // A folder that cannot be written makes starts slower, and nothing else.
  setTimeout(() => keep().catch(() => undefined), keepAfterMs).unref();
}
