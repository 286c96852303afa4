/** `stepwell <words>` as a client of a server, run to its end. */
import { runProgram } from './program.js';

/** What a client command needs of a server. */
interface Reachable {
  readonly url: string;
  readonly token: string;
  readonly credentials: { readonly restUsername: string; readonly restPassword: string };
}

/** The JSON values that a command prints, one a line. Throws where its exit code is not 0. */
export async function answered(
  server: Reachable,
  words: readonly string[],
): Promise<readonly Record<string, unknown>[]> {
  const { code, stdout, stderr } = await runClient(server, words);
  if (code !== 0) throw new Error(`stepwell ${words.join(' ')} ended with ${code}: ${stderr}`);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** How a command ends. */
export function runClient({ url, token, credentials }: Reachable, words: readonly string[]) {
  return runProgram('/nowhere', words, {
    STEPWELL_URL: url,
    STEPWELL_TOKEN: token,
    STEPWELL_REST_USERNAME: credentials.restUsername,
    STEPWELL_REST_PASSWORD: credentials.restPassword,
  });
}
