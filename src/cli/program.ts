/**
 * The command line: one file per command (listed in `command-list.ts`), and one table of exit
 * codes.
 */
import { Command, CommanderError } from 'commander';
import { version } from '../grammar/version.js';
import { exitCodes } from '../server/lifecycle/exit-codes.js';
import { commandsFor, isCommand } from './command-list.js';
import { isClientError } from './connect/client-errors.js';
import { hideToken } from './connect/given-token.js';
import { endQuietlyInPipes, printError } from './output/terminal.js';

/** Runs one command and sets the exit code; a server keeps running after this has returned. */
export async function run(argv: readonly string[]): Promise<void> {
  hideToken(argv);
  endQuietlyInPipes();
  try {
    const words = asked(argv.slice(2));
    const called = words.find((word) => !word.startsWith('-')) ?? '';
    // An unknown command needs the names of all, for a suggestion.
    const stepwell = await program(isCommand(called) || called === '' ? called : null);
    await stepwell.parseAsync(words, { from: 'user' });
  } catch (error) {
    process.exitCode = await explained(error);
  }
}

/** `help msg publish` becomes `msg publish --help`: commander's own help takes only one word. */
function asked(words: readonly string[]): readonly string[] {
  const [first, ...path] = words;
  return first === 'help' ? [...path, '--help'] : words;
}

/**
 * All commands, or only `called` with its subcommands; tests can inspect them without running one.
 */
export async function program(called: string | null = null): Promise<Command> {
  const stepwell = new Command('stepwell')
    .description('Durable HTTP messages, workflows and partitioned log topics in one process.')
    .version(version)
    .showHelpAfterError('stepwell --help names every command.')
    .enablePositionalOptions()
    // Throws instead of letting commander end the process.
    .exitOverride();
  for (const command of await commandsFor(called)) stepwell.addCommand(command);
  inherit(stepwell);
  return stepwell;
}

/** Subcommands inherit how errors are printed and handled. */
function inherit(command: Command): void {
  for (const part of command.commands) {
    part.copyInheritedSettings(command);
    part.showHelpAfterError(`${pathOf(part)} --help shows more.`);
    inherit(part);
  }
}

/** The full name of a command, such as `stepwell msg publish`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Prints once why the command failed, and returns the exit code for it. */
async function explained(error: unknown): Promise<number> {
  // Commander has already printed its text; its code is 0 for help and version.
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
  if (isClientError(error)) {
    printError(error.message);
    return error.exitCode;
  }
  // The errors of servers and folders are in their modules, which client commands never load.
  const { endOf } = await import('./engine.part.js');
  const { lines, code } = endOf(error);
  for (const line of lines) printError(line);
  return code;
}
