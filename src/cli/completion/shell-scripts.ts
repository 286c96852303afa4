/** The completion scripts: a table of words for each command, and how the shell looks them up. */
import type { CommandWords, NextWord } from './command-words.js';

/** Makes the lines of a script from the words of all commands, by the name of the shell. */
export const shellScripts = {
  bash: bashLines,
  zsh: (words: CommandWords) => [
    'autoload -U +X bashcompinit && bashcompinit',
    ...bashLines(words),
  ],
  fish: fishLines,
} as const;

const joined = (words: readonly NextWord[]) => words.map(({ word }) => word).join(' ');

/**
 * Options and their values may stand between commands, so only words that extend a known path
 * count.
 */
function bashLines(words: CommandWords): string[] {
  const paths = [...words.keys()].filter((path) => path !== '');
  return [
    '_stepwell() {',
    '  local path="" next i',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    `    next="\${path:+$path }\${COMP_WORDS[i]}"`,
    '    case "$next" in',
    `      ${paths.map((path) => `"${path}"`).join('|')}) path="$next" ;;`,
    '    esac',
    '  done',
    `  local words="" before="\${COMP_WORDS[COMP_CWORD-1]}"`,
    '  case "$path $before" in',
    ...bashValues(words),
    '    *) case "$path" in',
    ...[...words].map(([path, next]) => `    "${path}") words="${joined(next)}" ;;`),
    '    esac ;;',
    '  esac',
    `  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    '}',
    'complete -o default -F _stepwell stepwell',
  ];
}

/** The values of an option take precedence over the other words that can come next. */
function bashValues(words: CommandWords): string[] {
  return [...words].flatMap(([path, next]) =>
    next.flatMap(({ word, values }) =>
      values === undefined ? [] : [`    "${path} ${word}") words="${values.join(' ')}" ;;`],
    ),
  );
}

function fishLines(words: CommandWords): string[] {
  const paths = [...words.keys()].filter((path) => path !== '');
  return [
    'function __stepwell_at',
    '  set -l path ""',
    '  for word in (commandline -opc)[2..-1]',
    '    set -l next (string trim "$path $word")',
    `    contains -- "$next" ${paths.map(quoted).join(' ')}; and set path "$next"`,
    '  end',
    '  test "$path" = "$argv[1]"',
    'end',
    ...[...words].flatMap(([path, next]) => next.map((one) => fishLine(path, one))),
  ];
}

function fishLine(path: string, { word, summary, values }: NextWord): string {
  const [, option] = /^--(.+)$/.exec(word) ?? [];
  const what = option === undefined ? `-f -a ${quoted(word)}` : `-l ${quoted(option)}`;
  const where = quoted(`__stepwell_at ${quoted(path)}`);
  const then = values === undefined ? '' : ` -x -a ${quoted(values.join(' '))}`;
  return `complete -c stepwell -n ${where} ${what}${then} -d ${quoted(summary)}`;
}

/** A text in single quotes, escaped for fish. */
const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
