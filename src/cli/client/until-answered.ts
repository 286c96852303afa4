/**
 * Asks about work that the server continues by itself, so that a restart of the server does not end
 * the command.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isClientError, isPassing } from '../connect/client-errors.js';
import { printError } from '../output/terminal.js';

const againMs = 1000;

/**
 * Retries until there is an answer, or a refusal, which is thrown. Reports once that it is waiting.
 */
export async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error) || !isClientError(error)) throw error;
      if (tries === 0) printError(`${error.message}: it is asked again`);
    }
    await pause(againMs);
  }
}
