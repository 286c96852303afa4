/**
 * The server as `stepwell start` runs it, with small segments, on a clock that its parent sets, and
 * with ways to die: at the nth change of a segment that is being rewritten, or once it has said
 * what it remembers. What the next one remembers when it has replayed the journal is in a file too.
 *
 *     SEGMENT_BYTES   the size of segments
 *     STATE_FILE      `<it>.died` and `<it>.born` are written
 */
import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { pino } from 'pino';

const dist = '../../../dist';
const { nodeDisk } = await import(`${dist}/storage/disk/node-disk.js`);
const { systemClock } = await import(`${dist}/src/engine/clock.js`);
const { Engine } = await import(`${dist}/src/engine/engine.js`);
const { systemIdentifiers } = await import(`${dist}/src/engine/identifiers.js`);
const { Journal } = await import(`${dist}/src/engine/journal.js`);
const { createApplication } = await import(`${dist}/src/server/application.js`);
const { readConfiguration } = await import(`${dist}/src/server/configuration/config.js`);
const { openCredentials } = await import(`${dist}/src/server/credentials/credentials.js`);
const { exitCodeOf } = await import(`${dist}/src/server/lifecycle/exit-code-of.js`);

const { SEGMENT_BYTES: segmentBytes, STATE_FILE: stateFile, ...environment } = process.env;
let aheadMs = Number(environment.CLOCK_AHEAD_MS ?? 0);
/** Changes of rewritten segments until it dies; 0 = it does not. */
let changesLeft = 0;
const die = () => process.kill(process.pid, 'SIGKILL');

/** What stands for what a value holds, whichever objects hold it. */
function plain(value, above = new Set()) {
  if (typeof value === 'function') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (above.has(value)) return '(above)';
  const within = new Set(above).add(value);
  if (value instanceof Map || value instanceof Set) {
    return [...value].map((entry) => JSON.stringify(plain(entry, within))).sort();
  }
  if (Array.isArray(value)) return value.map((each) => plain(each, within));
  // A state of a machine: what else it has is the same for all.
  if ('_nodes' in value) return { value: value.value, context: plain(value.context, within) };
  if ('actors' in value && 'engine' in value) return '(an entity)';
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, plain(value[name], within)]));
}

/** A digest of each stream, and of each index. */
function remembered(engine) {
  const digests = {};
  const digest = (value) =>
    createHash('sha1')
      .update(JSON.stringify(plain(value)))
      .digest('hex');
  for (const kind of engine.kinds) {
    const actors = engine.actors(kind);
    for (const id of actors.ids()) digests[`${kind}/${id}`] = digest(actors.find(id));
    for (const [place, fold] of actors.folds.entries()) {
      const name = fold.constructor.name;
      // Those of classes hold what they know; others write it elsewhere.
      if (name !== 'Object') digests[`${kind} ${place} ${name}`] = digest(fold);
    }
  }
  return JSON.stringify(digests);
}

/** Nothing wants anything before all of the journal is replayed. */
const { reconcile } = Engine.prototype;
Engine.prototype.reconcile = function (...named) {
  Engine.prototype.reconcile = reconcile;
  writeFileSync(`${stateFile}.born`, remembered(this));
  return reconcile.apply(this, named);
};

const isRewrite = (path) => /[/]tmp[/]segment-/.test(path);
const rewritten = new Set();
function step() {
  changesLeft -= 1;
  if (changesLeft === 0) die();
}

/** The file system, which counts the changes of rewritten segments. */
const disk = {
  ...nodeDisk,
  async open(path, mode) {
    const file = await nodeDisk.open(path, mode);
    if (mode === 'create' && isRewrite(path)) {
      rewritten.add(file);
      step();
    }
    return file;
  },
  async close(file) {
    rewritten.delete(file);
    await nodeDisk.close(file);
  },
  async write(file, source, position) {
    const isCounted = rewritten.has(file);
    if (isCounted && changesLeft === 1) {
      // As much of it as a process that dies has written.
      await nodeDisk.write(file, source.subarray(0, source.length >> 1), position);
    }
    if (isCounted) step();
    return nodeDisk.write(file, source, position);
  },
  async sync(file) {
    await nodeDisk.sync(file);
    if (rewritten.has(file)) step();
  },
  async rename(from, to) {
    if (isRewrite(from)) step();
    await nodeDisk.rename(from, to);
    if (isRewrite(from)) step();
  },
  async remove(path) {
    await nodeDisk.remove(path);
    if (/[/]logs[/]/.test(path)) step();
  },
};

const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
const { config } = readConfiguration(
  Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith('STEPWELL_'))),
);
const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
const fatal = (error) => {
  log.fatal({ err: error }, 'the process cannot continue');
  process.exit(exitCodeOf(error));
};
process.on('uncaughtException', fatal);
process.on('unhandledRejection', fatal);

await nodeDisk.makeDirectory(config.dataDirectory);
const { credentials } = await openCredentials(config, disk, systemIdentifiers);
const application = await createApplication(config, credentials, {
  clock,
  identifiers: systemIdentifiers,
  disk,
  // A small file system is to be filled to its last byte.
  fileSizes: { segmentBytes: Number(segmentBytes), reserveBytes: 1024 ** 2, freeBytesMin: 0 },
  streamSizes: { eventsPerCheckpoint: 20 },
  log,
  fatal,
});

const orders = {
  clock: (order) => {
    aheadMs = order.aheadMs;
  },
  dieAt: (order) => {
    changesLeft = order.changes;
  },
  /** Says what it remembers when all of it is durable, and is gone before anything else happens. */
  async sayAndDie() {
    const engine = application.nest.get(Engine);
    const journal = application.nest.get(Journal);
    while (journal.highWatermark < journal.endOffset) await engine.durable();
    writeFileSync(`${stateFile}.died`, remembered(engine));
    die();
  },
  measure() {
    globalThis.gc();
    const { heapUsed, rss, external } = process.memoryUsage();
    process.send({ heapUsed: heapUsed + external, rss });
  },
};
process.on('message', (order) => void orders[order.do](order));
process.on('SIGTERM', async () => {
  process.disconnect?.();
  process.exit((await application.stop('SIGTERM')) ? 0 : 1);
});
process.stdout.write(`Stepwell is running at ${application.url}\n`);
