/** Makes the shipped program load `old-client.ts` in place of the Kafka client. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { leave } from '../../support/leftovers.js';

const name = '@platformatic/kafka';

/** The environment of a server whose Kafka client works with mock brokers. */
export async function oldClientEnvironment(): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-old-client-'));
  leave(folder);
  const installed = createRequire(import.meta.url).resolve(name);
  await build({
    entryPoints: [join(import.meta.dirname, 'old-client.ts')],
    outfile: join(folder, 'replaced.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    alias: { [name]: installed },
    external: [installed],
    logLevel: 'silent',
  });
  const client = join(folder, 'client.cjs');
  const all = `{ ...require(${JSON.stringify(installed)}), ...require('./replaced.cjs') }`;
  await writeFile(client, `module.exports = ${all};\n`);
  const hook = join(folder, 'hook.cjs');
  await writeFile(
    hook,
    `const Module = require('node:module');
const find = Module._resolveFilename;
Module._resolveFilename = function (asked, ...rest) {
  return asked === '${name}' ? ${JSON.stringify(client)} : find.call(this, asked, ...rest);
};\n`,
  );
  return { NODE_OPTIONS: `--require ${hook}` };
}
