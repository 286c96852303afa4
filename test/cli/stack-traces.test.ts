/** Stack traces for operators: the bundled program names the lines of its sources. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, ServerProcess, token } from '../support/program/server-process.js';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-stack-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function printed(server: ServerProcess, words: string): Promise<void> {
  while (!server.output.includes(words)) await new Promise((resolve) => setTimeout(resolve, 10));
}

it('a stack trace names the line of the source', async () => {
  // After the signal the first caller of the clock fails; later ones, such as the log, do not.
  const preload = join(folder, 'no-clock.cjs');
  await writeFile(
    preload,
    `process.on('SIGUSR2', () => {
      const { now } = Date;
      Date.now = () => {
        Date.now = now;
        throw new TypeError('no clock');
      };
      console.log('stopped the clock');
    });`,
  );
  const server = await ServerProcess.start(join(folder, 'data'), await freePort(), {
    NODE_OPTIONS: `--require ${preload}`,
  });
  try {
    server.child.kill('SIGUSR2');
    await printed(server, 'stopped the clock');
    await fetch(`${server.url}/v2/publish/https://example.com`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    }).catch(() => undefined);
    await printed(server, 'no clock');
    const place = /TypeError: no clock[\s\S]*?at \S+now \((src\/engine\/clock\.ts):(\d+)\)/;
    const [, file = '', line] = place.exec(server.output) ?? [];
    const source = (await readFile(file, 'utf8')).split('\n')[Number(line) - 1];
    expect(source).toContain('Date.now()');
  } finally {
    await server.kill();
  }
});
