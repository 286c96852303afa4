#!/usr/bin/env node
/**
 * How every start begins: `npx stepwell`, `npm start`, `npm run dev`, and `node dist/src/main.js`,
 * which the build makes a link to this file. It sets the size of the thread pool, which does all
 * work with files. Node creates the pool at its first use and loads ES modules with it, so the size
 * is set before: here, in CommonJS.
 *
 * And it runs the bundled program with what V8 made of it before: to compile it anew is half of a
 * start (ADR 43). The program is small; what needs the engine is a part beside it (ADR 75).
 */
const { openSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { basename, join } = require('node:path');
const { cachedDataVersionTag, setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

const folder = join(__dirname, '..', 'dist', 'src', 'program');
const requireFrom = createRequire(join(folder, 'stepwell.cjs'));
const modules = new Map();

/** By then a server has started: V8 has compiled what a start runs. */
const keepAfterMs = 3000;
const isServer = ['start', 'dev'].includes(process.argv[2]);

process.env.UV_THREADPOOL_SIZE ??= '16';
// Small buffers share pools, which stay while one of them does. Node 24 makes pools of 64 KiB, and
// one small body that is kept would hold as much.
Buffer.poolSize = 8 * 1024;
// Where most objects of one place in the code have survived, V8 makes the next ones old at once.
// Here they are work in flight: over in a moment, and kept until a full collection (ADR 107).
setFlagsFromString('--no-allocation-site-pretenuring');
load('stepwell.cjs');

/** The exports of a file of the program. */
function load(name) {
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  const filename = join(folder, name);
  const source = programIn(filename);
  // It is good for this build, this V8 and its options only; V8 itself compares no sources.
  const build = source.slice('// '.length, source.indexOf('\n'));
  const kept = `${filename}.${build}.${cachedDataVersionTag()}.code`;
  const wrapped = `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
  const cachedData = contentOf(kept);
  const script = new Script(wrapped, { filename, cachedData });
  if (script.cachedDataRejected !== false && isServer === isPart(name)) keepLater(script, kept);
  const module = { exports: {} };
  modules.set(name, module);
  script
    .runInThisContext()
    .call(module.exports, module.exports, requireFile, module, filename, folder);
  return module.exports;
}

function isPart(name) {
  return name.endsWith('.part.cjs');
}

/** Other parts are loaded as this one was; everything else is the business of Node.js. */
function requireFile(name) {
  return name.startsWith('./') ? load(basename(name)) : requireFrom(name);
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

/**
 * Beside the program, and so by who may replace that. A server keeps its parts while it runs, which
 * takes V8 some 50 ms once for a build; a command that asks one keeps the program when it ends.
 */
function keepLater(script, path) {
  const keep = () => {
    try {
      const beside = `${path}.${process.pid}`;
      writeFileSync(openSync(beside, 'wx', 0o644), script.createCachedData());
      renameSync(beside, path);
    } catch {
      // A folder that cannot be written makes starts slower, and nothing else.
    }
  };
  if (isServer) setTimeout(keep, keepAfterMs).unref();
  else process.once('exit', keep);
}
