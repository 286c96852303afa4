/**
 * What a client command takes from its environment. Separate from the configuration of the server,
 * whose grammars would take longer to load than a client command may take to answer.
 */

/** The settings of a client command, as texts; null if not given. */
export interface ClientEnvironment {
  /** `STEPWELL_URL`: where the server is. */
  readonly url: string | null;
  /** `STEPWELL_TOKEN`; the first token of a list. */
  readonly token: string | null;
  /** `STEPWELL_REST_USERNAME` and `STEPWELL_REST_PASSWORD`. */
  readonly basic: { readonly username: string; readonly password: string } | null;
  /** `STEPWELL_DIALECT`: the spelling of message options (messaging.md 1.6). */
  readonly dialect: string | null;
  /** `STEPWELL_DATA_DIR`, where a local server keeps its address and credentials. */
  readonly dataDirectory: string;
  /** False with `NO_COLOR` (no-color.org), and on terminals whose `TERM` is `dumb`. */
  readonly allowsColour: boolean;
}

/** The dialects that a client can use. */
export const clientDialects = ['svc', 'upstash'];

/** Reads the environment of this process. */
export function readClientEnvironment(): ClientEnvironment {
  const given = (name: string): string | null => process.env[name]?.trim() || null;
  const username = given('STEPWELL_REST_USERNAME');
  const password = given('STEPWELL_REST_PASSWORD');
  return {
    url: given('STEPWELL_URL'),
    token: given('STEPWELL_TOKEN')?.split(',')[0]?.trim() || null,
    basic: username === null || password === null ? null : { username, password },
    dialect: given('STEPWELL_DIALECT'),
    dataDirectory: given('STEPWELL_DATA_DIR') ?? './data',
    allowsColour: given('NO_COLOR') === null && process.env['TERM'] !== 'dumb',
  };
}
