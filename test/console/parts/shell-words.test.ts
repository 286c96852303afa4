import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { curlOf, quoted } from '../../../src/console/web/parts/shell-words.ts';

/** The words that a shell gives to `curl`. */
function wordsGiven(command: string): readonly string[] {
  const script = `curl() { printf '%s\\0' "$@"; }; ${command}`;
  const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\0').slice(0, -1);
}

/** What publishers can have in a URL, and in a header or a body. */
const hostile = fc.array(
  fc.constantFrom('a', "'", '"', ';', '&', '|', '$(id)', '`id`', '\\', '$IFS', '(', '\n', ' ', '#'),
  { maxLength: 12 },
);

it('a command has no more words than were given, whatever others have chosen', () => {
  fc.assert(
    fc.property(hostile, hostile, (inUrl, inBody) => {
      const address = `http://127.0.0.1:8080/v2/publish/https://example.com/${inUrl.join('')}`;
      const body = inBody.join('');
      const command = curlOf(address, ['-X POST', `--data-raw ${quoted(body)}`]);
      expect(wordsGiven(command)).toEqual([address, '-X', 'POST', '--data-raw', body]);
    }),
    { numRuns: 40 },
  );
});
