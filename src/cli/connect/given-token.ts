/** The option `--token`. The words of a command are seen by every user of the machine (`ps`). */
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { ClientError } from './client-errors.js';

const option = '--token';

/** Takes the token out of what the system shows of this process, as long as it runs. */
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
 * The token that the option gives: itself, or with `@` the first line of a file. Throws
 * `ClientError` where there is none, as in `--token "$TOKEN"` without a `TOKEN`.
 */
export async function givenToken(text: string): Promise<string> {
  if (text === '') throw new ClientError(`${option} is empty`, exitCodes.usage);
  if (!text.startsWith('@')) return text;
  const { givenBody } = await import('./given-body.js');
  const [line = ''] = (await givenBody(text)).toString('utf8').split('\n');
  if (line.trim() !== '') return line.trim();
  throw new ClientError(`${text.slice(1)} begins with no token`, exitCodes.usage);
}
