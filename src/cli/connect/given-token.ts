/** The option `--token`. Every user of the machine can see the arguments of a command (`ps`). */
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { ClientError } from './client-errors.js';

const option = '--token';

/** Removes the token from what the system shows of this process while it runs. */
export function hideToken(argv: readonly string[]): void {
  const words = argv.slice(2);
  const shown = words.map((word, index) => {
    if (word.startsWith(`${option}=`)) return `${option}=****`;
    return words[index - 1] === option ? '****' : word;
  });
  if (shown.some((word, index) => word !== words[index])) {
    process.title = ['stepwell', ...shown].join(' ');
  }
}

/**
 * The token given by the option: the value itself, or with `@` the first line of a file. Throws
 * `ClientError` if there is none, as in `--token "$TOKEN"` with `TOKEN` unset.
 */
export async function givenToken(text: string): Promise<string> {
  if (text === '') throw new ClientError(`${option} is empty`, exitCodes.usage);
  if (!text.startsWith('@')) return text;
  const { givenBody } = await import('./given-body.js');
  const [line = ''] = (await givenBody(text)).toString('utf8').split('\n');
  if (line.trim() !== '') return line.trim();
  throw new ClientError(`${text.slice(1)} does not begin with a token`, exitCodes.usage);
}
