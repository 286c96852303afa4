/** `stepwell completion`: prints scripts that complete commands and options in a shell. */
import { Argument, Command } from 'commander';
import { examplesText } from '../output/examples.js';
import { printLines } from '../output/terminal.js';
import { wordsAfter } from './command-words.js';
import { shellScripts } from './shell-scripts.js';

/**
 * `commands` returns all commands of the program; they are loaded only when a script is requested.
 */
export function completionCommand(commands: () => Promise<readonly Command[]>): Command {
  return new Command('completion')
    .description('print completions for bash, zsh or fish')
    .addArgument(new Argument('<shell>').choices(Object.keys(shellScripts)))
    .addHelpText(
      'after',
      examplesText([
        'source <(stepwell completion bash)',
        'source <(stepwell completion zsh)',
        'stepwell completion fish > ~/.config/fish/completions/stepwell.fish',
      ]),
    )
    .action(async (shell: keyof typeof shellScripts) => {
      await printLines(shellScripts[shell](wordsAfter(await commands())));
    });
}
