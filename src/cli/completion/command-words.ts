/** The words that can come next on a command line, for every command of the program. Pure. */
import type { Command, Option } from 'commander';

/** A word that can come next, and its meaning. */
export interface NextWord {
  readonly word: string;
  readonly summary: string;
  /** The values it can take; absent if the word is not an option, or takes any value. */
  readonly values?: readonly string[];
}

/**
 * Maps the commands typed so far (`msg publish`, empty at first) to the words that can come next.
 */
export type CommandWords = ReadonlyMap<string, readonly NextWord[]>;

const help: NextWord = { word: '--help', summary: 'show options and examples' };
const version: NextWord = { word: '--version', summary: 'show the version' };

/** The words of a program with these commands. */
export function wordsAfter(commands: readonly Command[]): CommandWords {
  const words = new Map<string, readonly NextWord[]>();
  words.set('', [...commands.map(named), help, version]);
  for (const command of commands) add(words, command.name(), command);
  return words;
}

function add(words: Map<string, readonly NextWord[]>, path: string, command: Command): void {
  const options = command.options
    .filter(({ long, hidden }) => long !== undefined && long !== null && !hidden)
    .map(optionWord);
  const given = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((word) => ({ word, summary: description })),
  );
  words.set(path, [...command.commands.map(named), ...given, ...options, help]);
  for (const part of command.commands) add(words, `${path} ${part.name()}`, part);
}

function optionWord({ long, description: summary, argChoices: values }: Option): NextWord {
  return { word: String(long), summary, ...(values !== undefined && { values }) };
}

const named = (command: Command): NextWord => ({
  word: command.name(),
  summary: command.description(),
});
