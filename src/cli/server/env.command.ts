/** `stepwell env`: prints the settings that an application needs to use the server. */

import { type Command, Option } from 'commander';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { type ClientOptions, clientCommand, connect } from '../client/client-command.js';
import { ClientError } from '../connect/client-errors.js';
import { printLines } from '../output/terminal.js';

/** How each kind of application writes its settings. */
const forms = {
  dotenv: (name: string, value: string) => `${name}=${dotenvValue(value)}`,
  shell: (name: string, value: string) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`,
  // Next.js expands variables in any kind of quotes.
  next: (name: string, value: string) => `${name}=${inQuotes(value.replaceAll('$', '\\$'), '"')}`,
  python: (name: string, value: string) =>
    `os.environ[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
} as const;

/** The values of `--for`. */
export type Form = keyof typeof forms;

/** A setting as one line of the file or program that sets it. Throws `ClientError`. */
export function settingLine(form: Form, name: string, value: string): string {
  return forms[form](name, value);
}

/** A value from outside may contain what ends it, or what begins a comment (`#`). */
function dotenvValue(value: string): string {
  return /^[\w.:/@+=,~-]*$/.test(value) ? value : inQuotes(value, "'");
}

/**
 * Encloses a value in one of the three kinds of quotes that it does not contain, `first` if
 * possible: quotes cannot be escaped.
 */
function inQuotes(value: string, first: string): string {
  const quote = [first, "'", '`', '"'].find((each) => !value.includes(each));
  if (quote !== undefined) return `${quote}${value}${quote}`;
  throw new ClientError(
    'a value contains all three kinds of quotes: use --for shell',
    exitCodes.usage,
  );
}

/** Queries a running server, and prints secrets in clear. */
export function envCommand(): Command {
  return clientCommand('env', 'print what an application needs to use the server', [
    'stepwell env >> .env',
    'eval "$(stepwell env --for shell)"',
    'stepwell env --for next > .env.local',
  ])
    .addOption(
      new Option('--for <kind>', 'the kind of application')
        .choices(Object.keys(forms))
        .default('dotenv'),
    )
    .action(print);
}

async function print(options: ClientOptions & { readonly for: Form }): Promise<void> {
  const form = options.for;
  const { api, output } = await connect(options);
  const { url, token, basic } = api.address;
  const keys = await api.get<{ current: string; next: string }>('/v2/keys');
  const values: Readonly<Record<string, string>> = {
    QSTASH_URL: url,
    ...(token !== null && { QSTASH_TOKEN: token }),
    QSTASH_CURRENT_SIGNING_KEY: keys.current,
    QSTASH_NEXT_SIGNING_KEY: keys.next,
    ...(basic !== null && {
      STEPWELL_REST_USERNAME: basic.username,
      STEPWELL_REST_PASSWORD: basic.password,
    }),
  };
  // The output is meant for files, so JSON is printed only on request.
  if (options.json === true) {
    await output.one(values, () => []);
    return;
  }
  const lines = Object.entries(values).map(([name, value]) => settingLine(form, name, value));
  await printLines(form === 'python' ? ['import os', ...lines] : lines);
}
