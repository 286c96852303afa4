import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodes } from '../../src/server/lifecycle/exit-codes.js';
import { flipByte } from '../support/program/flipped-byte.js';
import { runProgram } from '../support/program/program.js';
import { readmeBlocks, stepsOf } from '../support/program/readme-blocks.js';
import { authorization, freePort, ServerProcess } from '../support/program/server-process.js';

const page = 'docs/operations.md';

/** Fills a data folder with delayed messages; returns its largest segment. */
async function folderOf(data: string): Promise<string> {
  const server = await ServerProcess.start(data, await freePort());
  for (let count = 0; count < 6; count += 1) {
    const response = await fetch(`${server.url}/v2/publish/http://127.0.0.1:9900/x`, {
      method: 'POST',
      headers: { authorization, 'svc-delay': '1h' },
      body: 'a message',
    });
    expect(response.status).toBe(200);
  }
  await server.kill('SIGTERM');
  const sizes: { path: string; size: number }[] = [];
  for (const name of await readdir(join(data, 'logs'), { recursive: true })) {
    const path = join(data, 'logs', name);
    if (name.endsWith('.log')) sizes.push({ path, size: (await stat(path)).size });
  }
  return sizes.sort((one, two) => two.size - one.size)[0]?.path ?? '';
}

describe('docs/operations.md', () => {
  it('has every exit code in its table', async () => {
    const text = await readFile(join(import.meta.dirname, '../..', page), 'utf8');
    const documented = [...text.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code));
    expect(documented).toEqual(
      [...new Set(Object.values(exitCodes))].sort((one, two) => one - two),
    );
  });

  it('shows commands that do what the page says, in its order', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stepwell-operations-'));
    const data = join(folder, 'data');
    const segment = await folderOf(data);
    const ran: string[] = [];
    for (const { language, text } of readmeBlocks(page)) {
      if (language !== 'sh') continue;
      for (const { command } of stepsOf(text)) {
        const words = /^npx stepwell (.*)$/.exec(command)?.[1]?.split(' ') ?? [];
        const [verb = ''] = words;
        if (words.length === 0) continue;
        const isDamage = verb === 'journal';
        if (isDamage && ran.at(-1) === 'restore') await flipByte(segment, 900);
        // The page uses one folder for two situations that a reader meets on different days.
        const day = isDamage ? 'damage-' : '';
        const given = words.map((word) => word.replace(/^\/.*\//, `${folder}/${day}`));
        const { code, stdout } = await runProgram(data, given);
        expect([command, code]).toEqual([command, command.endsWith('verify') ? 65 : 0]);
        const said = text.slice(text.indexOf(command) + command.length).split('\n# ')[1] ?? '';
        const [first = ''] = said.split('\n');
        expect(stdout.split(/[ :]/)[0]).toBe(first.split(/[ :]/)[0]);
        ran.push(verb);
      }
    }
    expect(ran).toEqual(['backup', 'restore', 'journal', 'journal', 'journal']);
    await rm(folder, { recursive: true });
  }, 60_000);
});
