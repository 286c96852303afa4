/**
 * Tries nginx.conf and Caddyfile on a server of their own, where nginx and caddy are installed:
 * only ports, names and the certificate are changed. A destination keeps its `//`, a stream comes as
 * it is written, the caller is the client, a session of the console can sign in, and `/metrics` is
 * not there. `npm run check:proxy`; exits with 1 where anything differs.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const place = mkdtempSync(join(tmpdir(), 'stepwell-proxy-'));
const program = join(import.meta.dirname, '..', '..', 'bin', 'stepwell.cjs');
const token = 'a-token-for-the-proxies';
const authorization = `Bearer ${token}`;
/** Another address of this machine than that of the proxy, which is trusted. */
const client = '127.0.0.2';
const own = readFileSync(join(import.meta.dirname, 'nginx.conf'), 'utf8');
const caddyfile = readFileSync(join(import.meta.dirname, 'Caddyfile'), 'utf8');

const [behind, before] = [await freePort(), await freePort()];
const server = started(process.execPath, [program, 'start'], {
  STEPWELL_PORT: `${behind}`,
  STEPWELL_DATA_DIR: join(place, 'data'),
  STEPWELL_TOKEN: token,
  STEPWELL_TRUSTED_PROXIES: '127.0.0.1',
  STEPWELL_LOG_LEVEL: 'warn',
});
try {
  chmodSync(place, 0o755);
  await answers(`http://127.0.0.1:${behind}/health/ready`);
  for (const [name, start] of [
    ['nginx', startNginx],
    ['caddy', startCaddy],
  ]) {
    if (isInstalled(name)) await tried(name, start);
    else process.stdout.write(`proxy: ${name} is not installed: not tried\n`);
  }
} finally {
  server.kill('SIGTERM');
  await once(server, 'exit');
  rmSync(place, { recursive: true, force: true });
}

function started(command, words, env = {}) {
  return spawn(command, words, {
    cwd: place,
    env: { PATH: process.env.PATH, HOME: place, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function isInstalled(name) {
  try {
    execFileSync(name, [name === 'nginx' ? '-v' : 'version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function startNginx() {
  const [key, certificate] = [join(place, 'key.pem'), join(place, 'certificate.pem')];
  const subject = ['-subj', '/CN=localhost', '-days', '2', '-nodes', '-newkey', 'rsa:2048'];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', ...subject, ...files], { stdio: 'ignore' });
  for (const folder of ['body', 'proxy']) mkdirSync(join(place, folder));
  const config = `daemon off; error_log stderr; pid ${place}/nginx.pid; worker_processes 1;
    events { worker_connections 256; }
    http { access_log off; client_body_temp_path ${place}/body; proxy_temp_path ${place}/proxy;
    fastcgi_temp_path ${place}/f; uwsgi_temp_path ${place}/u; scgi_temp_path ${place}/s;
    ${own
      .replace('127.0.0.1:8080', `127.0.0.1:${behind}`)
      .replace('listen 443', `listen 127.0.0.1:${before}`)
      .replace('/etc/ssl/stepwell.pem', certificate)
      .replace('/etc/ssl/stepwell.key', key)} }`;
  writeFileSync(join(place, 'nginx.conf'), config);
  return started('nginx', ['-p', place, '-c', join(place, 'nginx.conf')]);
}

function startCaddy() {
  const config = caddyfile
    .replace('127.0.0.1:8080', `127.0.0.1:${behind}`)
    .replace('stepwell.example.com {', `https://127.0.0.1:${before} {\n\ttls internal`);
  const global =
    '{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n\tgrace_period 1s\n';
  writeFileSync(join(place, 'Caddyfile'), `${global}\tlog {\n\t\tlevel ERROR\n\t}\n}\n${config}`);
  return started('caddy', ['run', '--config', join(place, 'Caddyfile'), '--adapter', 'caddyfile']);
}

async function tried(name, start) {
  const proxy = start();
  try {
    await answers('/health/ready');
    await exercise(name);
    process.stdout.write(`proxy: ${name} passes everything on\n`);
  } finally {
    proxy.kill('SIGTERM');
    await once(proxy, 'exit');
  }
}

async function exercise(name) {
  const headers = { authorization, 'svc-delay': '1h', 'x-forwarded-for': '203.0.113.9' };
  const target = 'https://example.com/a//b?c=d';
  const published = await ask('POST', `/v2/publish/${target}`, headers, 'hello');
  const { messageId, url } = JSON.parse(published.body);
  equal(`${name}: the destination`, url, target);
  const shown = JSON.parse((await ask('GET', `/v2/messages/${messageId}`, headers)).body);
  equal(`${name}: the caller`, shown.callerIP, client);
  // The server does not mind a slash at the end, nor how letters are written.
  for (const path of ['/metrics', '/metrics/', '/%6Detrics', '/metrics?x=1', '/metrics/?x=1'])
    equal(`${name}: ${path}`, (await ask('GET', path)).status, 404);
  const origin = `https://127.0.0.1:${before}`;
  const signedIn = { origin, 'content-type': 'application/json' };
  const session = await ask('POST', '/console/session', signedIn, JSON.stringify({ token }));
  equal(`${name}: a session`, session.status, 201);
  const large = Buffer.alloc(20 * 1024 * 1024);
  const refused = await ask('POST', `/v2/publish/${target}`, headers, large);
  equal(`${name}: a large body`, refused.status, 413);
  await followed(name, messageId);
}

/** The stream of what happens says a cancel before it ends, as it does not end. */
async function followed(name, messageId) {
  const stream = await open('GET', '/v2/live?kinds=message', {
    authorization,
    accept: 'text/event-stream',
  });
  equal(`${name}: the stream`, stream.statusCode, 200);
  const reported = new Promise((resolve) => {
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
      if (text.includes(messageId)) resolve(true);
    });
    stream.on('end', () => resolve(false));
  });
  await ask('DELETE', `/v2/messages/${messageId}`, { authorization });
  equal(`${name}: the stream reports a cancel`, await reported, true);
  stream.destroy();
}

async function ask(method, path, headers = {}, body = undefined) {
  const response = await open(method, path, headers, body);
  const chunks = await response.toArray();
  return { status: response.statusCode, body: Buffer.concat(chunks).toString() };
}

/** As it stands: `fetch` would clean the path. The certificate is its own. */
function open(method, path, headers, body) {
  const options = { host: '127.0.0.1', port: before, localAddress: client, method, path, headers };
  return new Promise((resolve, reject) => {
    request({ ...options, rejectUnauthorized: false, agent: false }, resolve)
      .on('error', reject)
      .end(body);
  });
}

/** Until something answers with 200, a minute at most. */
async function answers(target) {
  for (let tries = 0; tries < 600; tries += 1) {
    try {
      const isOutside = target.startsWith('/');
      const { status } = isOutside ? await ask('GET', target) : await fetch(target);
      if (status === 200) return;
    } catch {
      // It does not listen yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${target} does not answer`);
}

function equal(what, found, wanted) {
  if (found !== wanted) throw new Error(`${what} is ${found}, not ${wanted}`);
}

async function freePort() {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address();
  listener.close();
  await once(listener, 'close');
  return port;
}
