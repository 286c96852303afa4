/**
 * Installs and builds the application in a temporary folder, runs it beside a server of this
 * checkout, and sees a message delivered and a workflow at its end (`npm run check:examples`).
 * It takes some 400 MB and a minute, so that no test does it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@upstash/qstash';
import { Client as WorkflowClient } from '@upstash/workflow';

const root = join(import.meta.dirname, '..', '..');
const place = mkdtempSync(join(tmpdir(), 'stepwell-next-'));
const folder = join(place, 'application');
const keys = {
  QSTASH_CURRENT_SIGNING_KEY: 'sig_current-key-of-the-example',
  QSTASH_NEXT_SIGNING_KEY: 'sig_next-key-of-the-example',
};
const token = 'a-token-for-the-example';
const running = [];
try {
  cpSync(import.meta.dirname, folder, {
    recursive: true,
    filter: (path) => !path.endsWith('.mjs'),
  });
  const words = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
  run('npm', ['install', ...words]);
  run('npx', ['next', 'build']);
  const server = start(join(root, 'bin', 'stepwell.cjs'), ['start'], {
    STEPWELL_PORT: '0',
    STEPWELL_DATA_DIR: join(place, 'data'),
    STEPWELL_TOKEN: token,
    STEPWELL_CURRENT_SIGNING_KEY: keys.QSTASH_CURRENT_SIGNING_KEY,
    STEPWELL_NEXT_SIGNING_KEY: keys.QSTASH_NEXT_SIGNING_KEY,
    STEPWELL_DIALECT: 'upstash',
  });
  const [, baseUrl] = await server.until(/running at (\S+)/);
  const port = await freePort();
  const next = join(folder, 'node_modules', 'next', 'dist', 'bin', 'next');
  const served = ['start', '-H', '127.0.0.1', '-p', `${port}`];
  const application = start(next, served, { ...keys, QSTASH_URL: baseUrl, QSTASH_TOKEN: token });
  await application.until(/Ready in/);

  const own = `http://127.0.0.1:${port}`;
  const unsigned = await fetch(`${own}/orders`, { method: 'POST', body: '{"order":7}' });
  if (unsigned.status < 400) throw new Error('the application takes what is not signed');
  await new Client({ baseUrl, token }).publishJSON({ url: `${own}/orders`, body: { order: 7 } });
  await application.until(/paid order 7/);
  const workflows = new WorkflowClient({ baseUrl, token });
  await workflows.trigger({ url: `${own}/shipping`, body: { order: 7 } });
  while ((await workflows.notify({ eventId: 'picked-up-7', eventData: { van: 2 } })).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 200));
  await application.until(/shipped P-7 with 2/);
  process.stdout.write('next: a delivery and a workflow have come to their ends\n');
} finally {
  for (const child of running) child.kill('SIGTERM');
  rmSync(place, { recursive: true, force: true, maxRetries: 5 });
}

function run(command, words) {
  const { status, stdout, stderr } = spawnSync(command, words, {
    cwd: folder,
    encoding: 'utf8',
    // The SDK wants the keys when the application is built, too.
    env: { ...process.env, ...keys, NEXT_TELEMETRY_DISABLED: '1' },
  });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stdout}${stderr}`);
}

/** A program of Node.js, and a way to wait for what it prints. */
function start(program, words, environment) {
  const child = spawn(process.execPath, [program, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, NEXT_TELEMETRY_DISABLED: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let output = '';
  const watchers = new Set();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
      for (const look of watchers) look();
    });
  }
  return {
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output);
          if (found !== null) resolve(found);
        };
        watchers.add(look);
        child.once('exit', () => reject(new Error(`${program} has ended: ${output}`)));
        look();
      }),
  };
}

/** Nothing listens there a moment later. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
