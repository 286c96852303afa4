/**
 * The command line: one file per command (`command-list.ts` names them), one table of exit codes.
 */
import { Command, CommanderError } from 'commander';
import { version } from '../grammar/version.js';
import { exitCodes } from '../server/lifecycle/exit-codes.js';
import { commandsFor, isCommand } from './command-list.js';
import { isClientError } from './connect/client-errors.js';
import { hideToken } from './connect/given-token.js';
import { complain, endQuietlyInPipes } from './output/terminal.js';

/** Runs one command and sets the exit code; a server goes on running after it has returned. */
export async function run(argv: readonly string[]): Promise<void> {
  hideToken(argv);
  endQuietlyInPipes();
  try {
    const words = asked(argv.slice(2));
    const called = words.find((word) => !word.startsWith('-')) ?? '';
    // What is misspelt needs the names of all.
    const stepwell = await program(isCommand(called) || called === '' ? called : null);
    await stepwell.parseAsync(words, { from: 'user' });
  } catch (error) {
    process.exitCode = await explained(error);
  }
}

/** `help msg publish` is `msg publish --help`: commander itself looks one word far. */
function asked(words: readonly string[]): readonly string[] {
  const [first, ...path] = words;
  return first === 'help' ? [...path, '--help'] : words;
}

/** All commands, or only `called` with what is in it; tests may look without running it. */
export async function program(called: string | null = null): Promise<Command> {
  const stepwell = new Command('stepwell')
    .description('Durable HTTP messages, workflows and partitioned log topics in one process.')
    .version(version)
    .showHelpAfterError('stepwell --help names every command.')
    .enablePositionalOptions()
    // Throws where commander would end the process.
    .exitOverride();
  for (const command of await commandsFor(called)) stepwell.addCommand(command);
  inherit(stepwell);
  return stepwell;
}

/** How errors are printed and ended holds for the commands of commands too. */
function inherit(command: Command): void {
  for (const part of command.commands) {
    part.copyInheritedSettings(command);
    part.showHelpAfterError(`${pathOf(part)} --help says more.`);
    inherit(part);
  }
}

/** `stepwell msg publish`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Tells what ended the command, once, and which exit code says so. */
async function explained(error: unknown): Promise<number> {
  // Commander has written its own text; its code is 0 for help and version.
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
  if (isClientError(error)) {
    complain(error.message);
    return error.exitCode;
  }
  // The errors of servers and folders come with their modules, which a client never loads.
  const { endOf } = await import('./engine.part.js');
  const { lines, code } = endOf(error);
  for (const line of lines) complain(line);
  return code;
}
