import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runProgram } from '../../support/program/program.js';
import { itWithShell } from '../../support/program/shells.js';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-shells-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The completion script of a shell, in a file. */
async function scriptOf(shell: string): Promise<string> {
  const { stdout } = await runProgram(folder, ['completion', shell]);
  const path = join(folder, `completion.${shell}`);
  await writeFile(path, stdout);
  return path;
}

async function linesOf(command: string, args: readonly string[]): Promise<string[]> {
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, TERM: 'dumb' };
  const { stdout } = await promisify(execFile)(command, args, { env });
  return stdout.split('\n').filter((line) => line !== '');
}

/** Command lines, and the words that are offered at their ends. */
const typed: readonly (readonly [string, readonly string[]])[] = [
  ['sch', ['sched']],
  ['sched tr', ['trigger']],
  ['msg publish http://x --retr', ['--retries', '--retry-delay']],
  ['dlq ls --label msg --b', ['--by']],
  ['msg ls --state d', ['delayed']],
  ['cred create x --topic t --permissions P', ['PRODUCE']],
  ['completion b', ['bash']],
];

itWithShell('fish', 'fish offers commands, their commands and their options', async () => {
  const script = await scriptOf('fish');
  for (const [text, words] of typed) {
    const line = `stepwell ${text}`;
    const asked = ['-c', 'source $argv[1]; complete -C $argv[2]', script, line];
    // Each line is a word, a tab and a description.
    const offered = (await linesOf('fish', asked)).map((one) => one.split('\t')[0]);
    expect(offered.sort()).toEqual(words);
  }
});

/**
 * Completion of zsh works only in its line editor. So a pseudo-terminal runs one, which gets the
 * line, a tab, and a key that prints the completed line. `$1` is the script, the other arguments
 * are the lines.
 */
const zshEditor = [
  'zmodload zsh/zpty',
  'zpty editor zsh -f -i',
  'zpty -w editor "autoload -Uz compinit && compinit -u -D; source $1"',
  `zpty -w editor 'show() { print -r -- "{$BUFFER}"; BUFFER= }; zle -N show; bindkey "^X" show'`,
  'shift',
  'for line in "$@"; do',
  String.raw`  zpty -w -n editor "$line"$'\t\x18'`,
  '  while zpty -r editor seen; do',
  `    [[ $seen == *'{stepwell '*'}'* ]] && break`,
  '  done',
  String.raw`  print -r -- "${'$'}{${'$'}{seen##*\{}%%\}*}"`,
  'done',
  'zpty -d editor',
].join('\n');

itWithShell('zsh', 'zsh completes commands, their commands and their options', async () => {
  const script = await scriptOf('zsh');
  const lines = typed.map(([text]) => `stepwell ${text}`);
  const completed = await linesOf('zsh', ['-f', '-c', zshEditor, 'zsh', script, ...lines]);
  // If more than one word is offered, only their common prefix is inserted.
  const wanted = typed.map(([text, words]) =>
    words.length === 1 ? `${text.replace(/\S+$/, '')}${words[0]} ` : text,
  );
  expect(completed).toEqual(wanted.map((text) => `stepwell ${text}`));
});
