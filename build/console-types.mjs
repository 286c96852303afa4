/**
 * Generates types for the console from the server's own OpenAPI document:
 * `dist/console-types/openapi.d.ts`. They are generated again when the compiled server has changed.
 * Needs a build (`npm run build`).
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapi, { astToString } from 'openapi-typescript';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'dist', 'console-types');
const stampFile = join(folder, '.build');

const { digest } = JSON.parse(await readFile(join(root, 'dist', 'src', 'build.json'), 'utf8'));
if ((await readFile(stampFile, 'utf8').catch(() => '')) !== digest) {
  const types = astToString(await openapi(await documentOfServer()));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'openapi.d.ts'), types);
  await writeFile(stampFile, digest);
}

/** The OpenAPI document that a server of this build answers. */
async function documentOfServer() {
  const data = await mkdtemp(join(tmpdir(), 'stepwell-types-'));
  const environment = { STEPWELL_PORT: '0', STEPWELL_LOG_LEVEL: 'silent' };
  const server = spawn(
    process.execPath,
    [join(root, 'bin', 'stepwell.cjs'), 'dev', '--data-dir', join(data, 'data')],
    { env: environment, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const response = await fetch(`${await urlOf(server)}/openapi.json`);
    return await response.json();
  } finally {
    server.kill('SIGKILL');
    await rm(data, { recursive: true, force: true });
  }
}

async function urlOf(server) {
  let output = '';
  for await (const chunk of server.stdout) {
    output += chunk;
    const url = /running at (\S+)/.exec(output)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`the server ended before it served:\n${output}`);
}
