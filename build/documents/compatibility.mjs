/**
 * Installs published versions of the SDKs into a temporary folder, runs a short conversation of
 * each with a server, and writes the table of docs/compatibility.md (`npm run docs:compatibility`).
 * With `--installed`, it runs only the versions that the tests use, installs nothing and writes
 * nothing: it exits with 1 if the page differs from a result.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const page = join(root, 'docs', 'compatibility.md');
const isInstalled = process.argv.includes('--installed');

/** The last release of each minor version, and the first ones that are still in use. */
const versions = {
  qstash: [
    ...['2.0.0', '2.1.9', '2.2.0', '2.3.0', '2.4.3', '2.5.5', '2.6.5', '2.7.23', '2.8.4'],
    ...['2.9.1', '2.10.1', '2.11.3', '2.12.0'],
  ],
  workflow: ['0.1.5', '0.2.1', '0.2.12', '0.2.23', '1.0.0', '1.1.1', '1.2.1', '1.3.3'],
  kafka: ['1.2.2', '1.3.1', '1.3.3', '1.3.5'],
};

const credentials = {
  STEPWELL_TOKEN: 'a-token-for-the-conversations',
  STEPWELL_REST_USERNAME: 'conversations',
  STEPWELL_REST_PASSWORD: 'a-password-for-the-conversations',
  STEPWELL_CURRENT_SIGNING_KEY: 'sig_current-key-of-conversations',
  STEPWELL_NEXT_SIGNING_KEY: 'sig_next-key-of-the-conversations',
};

const place = mkdtempSync(join(tmpdir(), 'stepwell-compatibility-'));
const server = spawn(process.execPath, [join(root, 'bin', 'stepwell.cjs'), 'start'], {
  env: {
    PATH: process.env.PATH,
    ...credentials,
    STEPWELL_PORT: '0',
    STEPWELL_DATA_DIR: join(place, 'data'),
    STEPWELL_DIALECT: 'upstash',
    STEPWELL_LOG_LEVEL: 'silent',
  },
  stdio: ['ignore', 'pipe', 'ignore'],
});
try {
  const url = await urlOf(server);
  const rows = isInstalled ? await ownRows(url) : await allRows(url);
  const text = readFileSync(page, 'utf8');
  if (isInstalled) {
    const missing = rows.filter((row) => !text.replaceAll(/ +/g, ' ').includes(row));
    for (const row of missing) process.stdout.write(`docs/compatibility.md lacks: ${row}\n`);
    if (missing.length > 0) process.exitCode = 1;
  } else {
    const head = '| package | version | what was done |\n| --- | --- | --- |';
    writeFileSync(page, text.replace(/\| package [\s\S]*\|$/m, [head, ...rows].join('\n')));
  }
} finally {
  server.kill('SIGTERM');
  await once(server, 'exit');
  rmSync(place, { recursive: true, force: true });
}

/** The versions that are installed for the tests. */
async function ownRows(url) {
  const rows = [];
  for (const kind of Object.keys(versions)) {
    const folder = join(root, 'node_modules', '@upstash', kind);
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    rows.push(await rowOf(kind, version, folder, url));
  }
  return rows;
}

async function allRows(url) {
  const rows = [];
  for (const [kind, all] of Object.entries(versions)) {
    for (const version of all) {
      const folder = join(place, `${kind}-${version}`);
      const words = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
      const named = `@upstash/${kind}@${version}`;
      execFileSync('npm', ['install', '--prefix', folder, ...words, named], { stdio: 'ignore' });
      const own = join(folder, 'node_modules', '@upstash', kind);
      rows.push(await rowOf(kind, version, own, url));
      process.stdout.write(`${rows.at(-1)}\n`);
      rmSync(folder, { recursive: true });
    }
  }
  return rows;
}

async function rowOf(kind, version, folder, url) {
  const script = join(import.meta.dirname, 'conversation.mjs');
  const env = {
    PATH: process.env.PATH,
    QSTASH_URL: url,
    QSTASH_TOKEN: credentials.STEPWELL_TOKEN,
    QSTASH_CURRENT_SIGNING_KEY: credentials.STEPWELL_CURRENT_SIGNING_KEY,
    QSTASH_NEXT_SIGNING_KEY: credentials.STEPWELL_NEXT_SIGNING_KEY,
    KAFKA_USERNAME: credentials.STEPWELL_REST_USERNAME,
    KAFKA_PASSWORD: credentials.STEPWELL_REST_PASSWORD,
  };
  const said = await new Promise((resolve) => {
    execFile(process.execPath, [script, kind, folder], { env }, (error, stdout) =>
      resolve(error === null ? stdout : `**fails**: ${stdout}`),
    );
  });
  return `| \`@upstash/${kind}\` | ${version.replace(/^v/, '')} | ${said.replaceAll('|', '\\|')} |`;
}

async function urlOf(child) {
  let output = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    const url = /running at (\S+)/.exec(output)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`the server ended before it served:\n${output}`);
}
