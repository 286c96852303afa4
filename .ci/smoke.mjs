/**
 * The smoke of the other Node.js versions that `engines` names: starts the built server under each,
 * publishes, sees the delivery, produces, fetches, and ends it with SIGTERM. Under the newest it
 * then runs the tests of what depends most on Node.js itself. Exits with 1 and what was printed if
 * anything differs.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const majors = [...engines.node.matchAll(/\^(\d+)\./g)].map(([, major]) => major);
const [installed] = process.versions.node.split('.');
/** Of one version, in milliseconds; a machine may be busy. */
const limitMs = 60_000;

const credentials = {
  STEPWELL_TOKEN: 'a-token-for-the-smoke-test',
  STEPWELL_REST_USERNAME: 'smoke',
  STEPWELL_REST_PASSWORD: 'a-password-for-the-smoke-test',
};
const bearer = `Bearer ${credentials.STEPWELL_TOKEN}`;
const basic = `Basic ${Buffer.from(`smoke:${credentials.STEPWELL_REST_PASSWORD}`).toString('base64')}`;

/**
 * Of its streams, its sockets and its buffers: these have differed between versions. They run on
 * the newest one, which has what came in between, too.
 */
const tested = ['test/http/', 'test/server/inbound/', 'test/messaging/outbound/', 'test/engine/'];

for (const major of majors.filter((each) => each !== installed)) {
  const node = nodeOf(major);
  await smoke(node);
  if (major === majors.at(-1)) test(node);
}

/** The path of that version's program, from the registry's package `node`. */
function nodeOf(major) {
  const words = ['--yes', '-p', `node@${major}`, 'node', '-p', 'process.execPath'];
  const path = execFileSync('npx', words, { encoding: 'utf8', cwd: tmpdir() }).trim();
  const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim();
  if (!version.startsWith(`v${major}.`)) throw new Error(`${path} is Node.js ${version}`);
  process.stdout.write(`smoke: Node.js ${version}\n`);
  return path;
}

async function smoke(node) {
  const folder = mkdtempSync(join(tmpdir(), 'stepwell-smoke-'));
  const endpoint = createServer((request, response) =>
    request.resume().on('end', () => response.end()),
  );
  await once(endpoint.listen(0, '127.0.0.1'), 'listening');
  const server = spawn(node, [join(root, 'bin/stepwell.cjs'), 'start'], {
    env: { ...credentials, STEPWELL_PORT: '0', STEPWELL_DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const timer = setTimeout(() => server.kill('SIGKILL'), limitMs);
  try {
    await exercise(server, endpoint, () => output);
  } catch (error) {
    process.stderr.write(`smoke: ${error.stack}\n${output}\n`);
    process.exitCode = 1;
  } finally {
    clearTimeout(timer);
    server.kill('SIGKILL');
    endpoint.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function test(node) {
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const env = { ...process.env, NODE_OPTIONS: '--enable-source-maps' };
  const run = spawnSync(node, [jest, ...tested], { cwd: root, env, encoding: 'utf8' });
  const counted = /^Tests: .*$/m.exec(run.stderr)?.[0] ?? `ended with ${run.status ?? run.signal}`;
  process.stdout.write(`smoke: ${counted}\n`);
  if (run.status === 0) return;
  process.stderr.write(`${run.stdout}${run.stderr}\n`);
  process.exitCode = 1;
}

async function exercise(server, endpoint, output) {
  const exit = once(server, 'exit');
  const url = await urlOf(server, exit, output);
  const delivered = once(endpoint, 'request');
  const target = `http://127.0.0.1:${endpoint.address().port}/hook`;
  const published = await ask(`${url}/v2/publish/${target}`, bearer, 'hello');
  const [request] = await Promise.race([delivered, exit.then(() => [])]);
  equal('the delivered message', request?.headers['svc-message-id'], published.messageId);
  const [stored] = await ask(`${url}/produce/smoke`, basic, '[{"value":"hello"}]');
  const { partition, offset } = stored;
  const position = JSON.stringify({ topic: 'smoke', partition, offset });
  const [record] = await ask(`${url}/fetch`, basic, position);
  equal('the fetched value', record?.value, 'hello');
  server.kill('SIGTERM');
  const [code, signal] = await exit;
  equal('the exit code', code ?? signal, 0);
}

async function urlOf(server, exit, output) {
  let hasEnded = false;
  exit.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    const url = /running at (\S+)/.exec(output())?.[1];
    if (url !== undefined) return url;
    await Promise.race([once(server.stdout, 'data'), exit]);
  }
  throw new Error('the server ended before it served');
}

async function ask(url, authorization, body) {
  const response = await fetch(url, { method: 'POST', headers: { authorization }, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

function equal(what, found, wanted) {
  if (found !== wanted) throw new Error(`${what} is ${found}, not ${wanted}`);
}
