/** The real program, run to its end: what it said and how it ended. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';

export const program = join(import.meta.dirname, '../../../bin/stepwell.cjs');

export interface Ended {
  /** The exit code; NaN after a signal. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `stepwell <words>` on a data folder; `wrapper` are words in front of the whole command. */
export function runProgram(
  dataDirectory: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  wrapper: readonly string[] = [],
): Promise<Ended> {
  const env = {
    PATH: process.env['PATH'],
    STEPWELL_PORT: '0',
    STEPWELL_DATA_DIR: dataDirectory,
    STEPWELL_LOG_LEVEL: 'warn',
    ...environment,
  };
  const [command = '', ...rest] = [...wrapper, process.execPath, program, ...words];
  return new Promise((resolve) => {
    execFile(command, rest, { env, timeout: 20_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? Number.NaN);
      resolve({ code, stdout, stderr });
    });
  });
}
