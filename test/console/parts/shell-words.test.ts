import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { curlOf, quoted } from '../../../src/console/web/parts/shell-words.ts';

/** The words that a shell passes to `curl`. */
function wordsGiven(command: string): readonly string[] {
  const script = `curl() { printf '%s\\0' "$@"; }; ${command}`;
  const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\0').slice(0, -1);
}

/** Characters that publishers can put into a URL, a header or a body. */
const hostile = fc.array(
  fc.constantFrom('a', "'", '"', ';', '&', '|', '$(id)', '`id`', '\\', '$IFS', '(', '\n', ' ', '#'),
  { maxLength: 12 },
);

it('a command has no more words than were given, whatever the texts contain', () => {
  fc.assert(
    fc.property(hostile, hostile, (inUrl, inBody) => {
      const address = `http://127.0.0.1:8080/v2/publish/https://example.com/${inUrl.join('')}`;
      const body = inBody.join('');
      const command = curlOf(address, ['-X POST', `--data-raw ${quoted(body)}`]);
      expect(wordsGiven(command)).toEqual(['-g', address, '-X', 'POST', '--data-raw', body]);
    }),
    { numRuns: 40 },
  );
});

it('a command sends an address with brackets and braces unchanged', async () => {
  const server = createServer((request, response) => response.end(request.url));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const path = '/v2/publish/https://example.com/?ids[]=1&of={a,b}&at=[1-3]';
  const { port } = server.address() as AddressInfo;
  const { stdout } = await promisify(execFile)('sh', [
    '-c',
    curlOf(`http://127.0.0.1:${port}${path}`, ['-s']),
  ]);
  expect(stdout).toBe(path);
  server.close();
});
