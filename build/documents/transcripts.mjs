/**
 * Runs the commands in pages that show the command line, with a server of their own, and inserts
 * their output (`npm run docs:transcripts`). With `--check`, it writes nothing, and exits with 1 if
 * the output has another shape: ids, times, ports and numbers differ each time. A block is fenced
 * as `console`. A line that begins with `$ ` is a command, run on a terminal; one that ends with
 * `&` runs until `$ kill %<number>`, numbered as in a shell from the top of the page. `took … s` in
 * a page becomes the seconds that its commands took.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const root = join(import.meta.dirname, '..', '..');
const program = join(root, 'bin', 'stepwell.cjs');
const pages = ['docs/walk.md', 'docs/cli-tour.md'];
const isCheck = process.argv.includes('--check');
/** Wide enough that no column is cut, as the cut would depend on the length of a port number. */
const columns = 160;

for (const page of pages) {
  const path = join(root, page);
  const before = readFileSync(path, 'utf8');
  const after = await remade(before);
  if (!isCheck) writeFileSync(path, after);
  else if (shapeOf(before) !== shapeOf(after)) {
    process.stdout.write(`${page} shows something else than what is printed:\n`);
    process.stdout.write(`${firstDifference(shapeOf(before), shapeOf(after))}\n`);
    process.stdout.write('npm run docs:transcripts remakes it\n');
    process.exitCode = 1;
  }
}

/** The page with the present output of its commands. */
async function remade(text) {
  const place = mkdtempSync(join(tmpdir(), 'stepwell-transcripts-'));
  const port = await freePort(7000);
  const ports = { 8080: port, 9000: await freePort(port + 1) };
  const session = { place, ports, env: environment(place, ports), jobs: [], ms: 0 };
  const server = spawn(process.execPath, [program, 'dev'], {
    env: session.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await until(server.stdout, /running at/);
    server.stdout.resume();
    const parts = text.split(/(^```console\n[\s\S]*?^```$)/m);
    for (const [index, part] of parts.entries()) {
      if (part.startsWith('```console\n')) parts[index] = await remadeBlock(part, session);
    }
    const seconds = (session.ms / 1000).toFixed(1);
    return parts.join('').replace(/took [\d.…]+ s\b/, `took ${seconds} s`);
  } finally {
    for (const { child } of session.jobs) child.kill();
    server.kill('SIGTERM');
    await once(server, 'exit');
    rmSync(place, { recursive: true, force: true });
  }
}

function environment(place, ports) {
  return {
    PATH: process.env.PATH,
    HOME: place,
    TERM: 'xterm',
    NO_COLOR: '1',
    TZ: 'UTC',
    STEPWELL_PORT: `${ports[8080]}`,
    STEPWELL_DATA_DIR: join(place, 'data'),
  };
}

async function remadeBlock(block, session) {
  const lines = [];
  for (const [, command] of block.matchAll(/^\$ (.*)$/gm)) {
    lines.push(`$ ${command}`);
    const began = process.hrtime.bigint();
    lines.push(...(await run(command, session)));
    session.ms += Number(process.hrtime.bigint() - began) / 1e6;
  }
  return `\`\`\`console\n${lines.join('\n')}\n\`\`\``;
}

/** The output of a command, with the ports that the page names. */
async function run(command, session) {
  const killed = /^kill %(\d+)$/.exec(command)?.[1];
  if (killed !== undefined) {
    const { child, ended } = session.jobs[Number(killed) - 1];
    child.kill('SIGTERM');
    await ended;
    return [];
  }
  // Insert what an earlier command has printed: `$ID` is the last id in the output.
  const own = command
    .replaceAll(/\b(8080|9000)\b/g, (port) => `${session.ports[port]}`)
    .replaceAll('$ID', session.id ?? '$ID');
  if (own.endsWith('&')) return begin(own.slice(0, -1).trim(), session);
  const child = onTerminal(own, session);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return shown(output, session);
}

/** Starts a background command: only its first output is shown. */
async function begin(command, session) {
  const child = onTerminal(command, session);
  const ended = once(child, 'close');
  session.jobs.push({ child, ended });
  return shown(await until(child.stdout, /\n/), session);
}

/** Uses `script` to provide a terminal, as Node.js has no means for that. */
function onTerminal(command, { env, place }) {
  const stepwell = `stepwell() { ${process.execPath} ${program} "$@"; }`;
  const words = `stty cols ${columns}; ${stepwell}; ${command}`;
  return spawn('script', ['-qefc', words, '/dev/null'], {
    cwd: place,
    env: { ...env, SHELL: '/bin/bash' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

function shown(output, session) {
  const usual = Object.entries(session.ports).reduce(
    (text, [page, port]) => text.replaceAll(`:${port}`, `:${page}`),
    stripVTControlCharacters(output).replaceAll('\r', ''),
  );
  session.id = /\bmsg_\w+/.exec(usual)?.[0] ?? session.id;
  return usual
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

/** The text without the parts that differ each time. */
function shapeOf(text) {
  return text
    .replaceAll(/\b(msg|scd|wfr)_\w+/g, '$1')
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, '#')
    .replaceAll(/=[\w=-]{40,}/g, '=#')
    .replaceAll(/\b\d[\d.,]*( ?(ms|s|m|h|d|min|MiB|KiB|GiB|kB|B))?\b/g, '#')
    .replaceAll(/#(-#)+|#:[#:.]+/g, '#')
    .replaceAll(/\bin # #/g, 'in #')
    .replaceAll(/\bnow\b|#( #)? ago\b/g, '# ago')
    .replaceAll(/[·━─●]+/g, '·')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/-{2,}/g, '-');
}

function firstDifference(before, after) {
  const [one, other] = [before.split('\n'), after.split('\n')];
  const at = one.findIndex((line, index) => line !== other[index]);
  return `- ${one[at]}\n+ ${other[at]}`;
}

/** The output of a stream until it matches the pattern; throws if the stream ends before. */
async function until(stream, pattern) {
  let output = '';
  return await new Promise((resolve, reject) => {
    stream.on('data', (chunk) => {
      output += chunk;
      if (pattern.test(output)) resolve(output);
    });
    stream.on('end', () => reject(new Error(`ended before ${pattern}:\n${output}`)));
  });
}

/** Of four digits, like the ports that the pages name: so the columns of tables stay aligned. */
async function freePort(from) {
  const last = 9999;
  for (let port = from + Math.floor(Math.random() * 1000); port <= last; port += 1) {
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error(`no port from ${from} to ${last} is free`);
}
