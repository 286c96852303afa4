/**
 * The command line: one file per command, one table of exit codes. Whatever serves is imported by
 * the command that serves (`serve.ts`), so that the others start at once.
 */
import { Command, CommanderError } from 'commander';
import { version } from '../grammar/version.js';
import { ConfigurationError } from '../server/configuration/config.js';
import { exitCodeOf, exitCodes } from '../server/lifecycle/exit-codes.js';
import { backupCommand, restoreCommand } from './backup.command.js';
import { configCommand } from './config.command.js';
import { devCommand } from './dev.command.js';
import { journalCommand } from './journal.command.js';
import { machinesCommand } from './machines.command.js';
import { startCommand } from './start.command.js';
import { complain } from './terminal.js';

/** Runs one command and sets the exit code; a server goes on running after it has returned. */
export async function run(argv: readonly string[]): Promise<void> {
  try {
    await program().parseAsync(argv);
  } catch (error) {
    process.exitCode = explained(error);
  }
}

/** All commands; tests may look at it without running it. */
export function program(): Command {
  const stepwell = new Command('stepwell')
    .description('Durable HTTP messages, workflows and partitioned log topics in one process.')
    .version(version)
    .showHelpAfterError('stepwell --help names every command.')
    .enablePositionalOptions()
    // Throws where commander would end the process.
    .exitOverride();
  stepwell.addCommand(startCommand());
  stepwell.addCommand(devCommand());
  stepwell.addCommand(configCommand());
  stepwell.addCommand(backupCommand());
  stepwell.addCommand(restoreCommand());
  stepwell.addCommand(journalCommand());
  stepwell.addCommand(machinesCommand());
  inherit(stepwell);
  return stepwell;
}

/** How errors are printed and ended holds for the commands of commands too. */
function inherit(command: Command): void {
  for (const part of command.commands) {
    part.copyInheritedSettings(command);
    inherit(part);
  }
}

/** Tells what ended the command, once, and which exit code says so. */
function explained(error: unknown): number {
  // Commander has written its own text; its code is 0 for help and version.
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
  const lines = error instanceof ConfigurationError ? error.problems : [messageOf(error)];
  for (const line of lines) complain(line);
  return exitCodeOf(error);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
