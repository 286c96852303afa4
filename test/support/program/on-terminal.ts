/** The real program on a terminal of its own, as nothing of Node.js gives it one: by `script`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { killedAtLast } from '../leftovers.js';
import { program } from './program.js';

const columns = 140;

/** What a command has written to its terminal, standard error included. */
export interface Shown {
  readonly code: number;
  /** As the terminal got it, with lines that end as in a file. */
  readonly text: string;
}

/** Runs `stepwell <words>` on a terminal to its end, or with `until` until it has shown that. */
export async function onTerminal(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  until?: RegExp,
): Promise<Shown> {
  const child = startOnTerminal(words, environment);
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (until?.test(text)) child.kill();
  });
  await once(child, 'close');
  return { code: child.exitCode ?? 0, text: text.replaceAll('\r\n', '\n') };
}

/** The same without waiting; its standard output is what the terminal gets. */
export function startOnTerminal(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  const typed = [process.execPath, program, ...words].map(quoted).join(' ');
  return killedAtLast(
    spawn('script', ['-qefc', `stty cols ${columns}; exec ${typed}`, '/dev/null'], {
      env: {
        PATH: process.env['PATH'],
        SHELL: '/bin/sh',
        TERM: 'xterm',
        TZ: 'UTC',
        ...environment,
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    }),
  );
}

/** A word between single quotes, as a shell reads it. */
const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;
