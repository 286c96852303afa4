/**
 * The steps of the Dockerfile without a container engine: builds, packs and installs in empty folders
 * what is checked out, runs what was installed as the image does, asks its health check and a
 * command of its own, and ends it. Exits with 1 where anything differs. `npm run check:deploy`.
 *
 * `npm test` leaves it to the gate, which runs it once.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const place = mkdtempSync(join(tmpdir(), 'stepwell-image-'));
const build = join(place, 'build');
const dockerfile = readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8');

try {
  checkOut();
  const [firstStage = ''] = dockerfile.split(/^FROM .*\nCOPY --from/m);
  for (const [, step] of firstStage.matchAll(/^RUN (.*)$/gm)) run(step);
  await serve();
} finally {
  rmSync(place, { recursive: true, force: true });
}

/** What git knows of, as it lies there: nothing that was built before. */
function checkOut() {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\0');
  for (const name of names.filter((each) => each !== '')) {
    mkdirSync(dirname(join(build, name)), { recursive: true });
    cpSync(join(root, name), join(build, name));
  }
}

/** A step of the build, with its folders below one of our own. */
function run(step) {
  if (step.startsWith('npm ci ')) {
    process.stdout.write('image: what is installed stands for npm ci\n');
    symlinkSync(join(root, 'node_modules'), join(build, 'node_modules'));
    return;
  }
  const own = step
    .replace('--pack-destination /', `--pack-destination ${place}`)
    .replace('--prefix /opt/stepwell', `--prefix ${place}/opt --prefer-offline`)
    .replace(' /stepwell-', ` ${place}/stepwell-`);
  process.stdout.write(`image: ${step}\n`);
  execFileSync('sh', ['-c', own], { cwd: build, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function serve() {
  const program = join(place, 'opt', 'node_modules', 'stepwell', 'bin', 'stepwell.cjs');
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    STEPWELL_PORT: '0',
    STEPWELL_DATA_DIR: join(place, 'data'),
    STEPWELL_LOG_LEVEL: 'warn',
  };
  const server = spawn(process.execPath, [program, 'start'], {
    cwd: place,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = await urlOf(server);
    const [, health = ''] = /^ {2}CMD \["node", "-e", "(.*)"\]$/m.exec(dockerfile) ?? [];
    const asked = health.replace('http://127.0.0.1:8080', url);
    if (asked === health) throw new Error('the health check does not ask the port of the image');
    execFileSync(process.execPath, ['-e', asked]);
    const words = [program, 'topic', 'create', 'rides', '--partitions', '2'];
    const made = execFileSync(process.execPath, words, { cwd: place, env, encoding: 'utf8' });
    if (JSON.parse(made).partitions !== 2) throw new Error(`the command answered ${made}`);
    server.kill('SIGTERM');
    const [code] = await once(server, 'exit');
    if (code !== 0) throw new Error(`the server ended with ${code}`);
    process.stdout.write('image: built, installed, served, and ended well\n');
  } finally {
    server.kill('SIGKILL');
  }
}

async function urlOf(server) {
  let output = '';
  for await (const chunk of server.stdout) {
    output += chunk;
    const url = /running at (\S+)/.exec(output)?.[1];
    if (url !== undefined) {
      server.stdout.resume();
      return url;
    }
  }
  throw new Error(`the server ended before it served:\n${output}`);
}
