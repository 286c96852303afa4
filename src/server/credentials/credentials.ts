/**
 * The credentials and signing keys of this server: configured, kept in a file, or generated here.
 */
import { join } from 'node:path';
import { z } from 'zod';
import type { Disk } from '../../../storage/disk/disk.js';
import { readWhole, replaceFile } from '../../../storage/disk/whole-file.js';
import { diskError, errorCode } from '../../../storage/faults/storage-errors.js';
import { type Identifiers, newSecret } from '../../engine/identifiers.js';
import { jsonIn } from '../../grammar/json.js';
import { keysOf } from '../../grammar/keys.js';
import { type Config, ConfigurationError, type Source } from '../configuration/config.js';
import { publishedKeys } from './published-keys.js';

/** All secrets of the server. */
export interface Credentials {
  /** Bearer tokens with all rights. */
  readonly tokens: readonly string[];
  /** Bearer tokens that only permit reading. */
  readonly readTokens: readonly string[];
  readonly restUsername: string;
  readonly restPassword: string;
  readonly currentSigningKey: string;
  readonly nextSigningKey: string;
}

/** Credentials, and where each came from. */
export interface OpenedCredentials {
  readonly credentials: Credentials;
  /** `default`: there is none. */
  readonly sources: Readonly<Record<keyof Credentials, Source>>;
  /** The file with the credentials whose source is `file`. */
  readonly path: string;
}

/** The name of the file in the data folder, mode 0600. */
export const credentialsFile = 'credentials.json';

/**
 * The development token and keys that the published clients contain (`@upstash/qstash`). They are
 * public, so `dev` uses them and `start` refuses them.
 */
export const publishedCredentials: Credentials = {
  tokens: [tokenOf('defaultUser', 'defaultPassword')],
  readTokens: [],
  restUsername: 'defaultUser',
  restPassword: 'defaultPassword',
  ...publishedKeys,
};

const fileSchema = z
  .strictObject({
    tokens: z.array(z.string().min(1)),
    readTokens: z.array(z.string().min(1)),
    restUsername: z.string().min(1),
    restPassword: z.string().min(1),
    currentSigningKey: z.string().min(1),
    nextSigningKey: z.string().min(1),
  })
  .partial();

type KeptCredentials = Partial<Credentials>;

/** The variable for each credential, for lines that can be pasted. */
const variables: Readonly<Record<keyof Credentials, string>> = {
  tokens: 'STEPWELL_TOKEN',
  readTokens: 'STEPWELL_READ_TOKEN',
  restUsername: 'STEPWELL_REST_USERNAME',
  restPassword: 'STEPWELL_REST_PASSWORD',
  currentSigningKey: 'STEPWELL_CURRENT_SIGNING_KEY',
  nextSigningKey: 'STEPWELL_NEXT_SIGNING_KEY',
};

const names = keysOf(variables);

/**
 * Takes each credential from the configuration, else from the file, else generates it and keeps it
 * in the file. A node of a cluster only has the read tokens that are configured. The data folder
 * must exist. A file that is not in our format is refused, never replaced. `judge` throws its
 * objections before anything is kept.
 */
export async function openCredentials(
  config: Config,
  disk: Disk,
  identifiers: Identifiers,
  judge: (opened: OpenedCredentials) => void = () => undefined,
): Promise<OpenedCredentials> {
  const { kept, made, opened } = await judgeCredentials(config, disk, identifiers, judge);
  const isNew = names.filter((name) => opened.sources[name] === 'generated');
  if (isNew.length > 0) {
    const added = Object.fromEntries(isNew.map((name) => [name, made[name]]));
    await keepCredentials(config.dataDirectory, disk, { ...kept, ...added });
  }
  return opened;
}

/**
 * The same result and errors as `openCredentials`, but keeps nothing. `made` are newly generated
 * credentials, of which `opened` contains those that are neither configured nor kept.
 */
export async function judgeCredentials(
  config: Config,
  disk: Disk,
  identifiers: Identifiers,
  judge: (opened: OpenedCredentials) => void,
): Promise<{
  readonly kept: KeptCredentials;
  readonly made: Credentials;
  readonly opened: OpenedCredentials;
}> {
  const kept = await readCredentials(config, disk);
  const made = makeCredentials(identifiers);
  const opened = choose(config, kept, made);
  judge(opened);
  refuseReadTokensThatWrite(opened);
  return { kept, made, opened };
}

/** The credentials of `dev`: those configured, else the published ones; nothing is kept. */
export function developmentCredentials(config: Config): OpenedCredentials {
  const opened = choose(config, {}, publishedCredentials);
  refuseReadTokensThatWrite(opened);
  const { credentials, sources, path } = opened;
  const published = names.map((name) => [
    name,
    sources[name] === 'generated' ? 'published' : sources[name],
  ]);
  return { credentials, sources: Object.fromEntries(published), path };
}

/** The credentials in the file; empty if there is no file. */
async function readCredentials(config: Config, disk: Disk): Promise<KeptCredentials> {
  const path = join(config.dataDirectory, credentialsFile);
  const isKept = (await namesIn(disk, config.dataDirectory)).includes(credentialsFile);
  if (!isKept) return {};
  const content = await readWhole(disk, path).catch((error: unknown) => {
    throw diskError(`reading ${path}`, error);
  });
  const result = fileSchema.safeParse(jsonIn(content.toString('utf8')));
  // The schema allows `undefined` for absent fields, but JSON never contains it.
  if (result.success) return result.data as KeptCredentials;
  throw new ConfigurationError([`${path} is not a credentials file of Stepwell`]);
}

/** The users that the tokens name (messaging.md 1.1); a token in another form names no user. */
export function userIdsOf({ tokens, readTokens }: Credentials): ReadonlySet<string> {
  return new Set([...tokens, ...readTokens].flatMap((token) => userIdOf(token) ?? []));
}

/** Where a credential was given, for messages about an invalid one. */
export function placeOf({ sources, path }: OpenedCredentials, name: keyof Credentials): string {
  return sources[name] === 'file' ? `${name} of ${path}` : variables[name];
}

/** Refuses a read token that is also a full token: it would be handed out as read-only. */
function refuseReadTokensThatWrite(opened: OpenedCredentials): void {
  const { tokens, readTokens } = opened.credentials;
  if (!readTokens.some((token) => tokens.includes(token))) return;
  const places = [placeOf(opened, 'readTokens'), placeOf(opened, 'tokens')];
  throw new ConfigurationError([places.join(' holds a secret of ')]);
}

/** Newly generated credentials, as lines for an `.env` file or a shell. */
export function pasteLines({ credentials, sources }: OpenedCredentials): string[] {
  return names
    .filter((name) => sources[name] === 'generated')
    .map((name) => `${variables[name]}=${[credentials[name]].flat().join(',')}`);
}

/** Takes each credential from the first of the three places that has it; `sources` says which. */
function choose(config: Config, kept: KeptCredentials, made: Credentials): OpenedCredentials {
  // Other nodes would not know what this node generates, so a node only has read tokens that are
  // configured on all nodes.
  const isNode = config.commitLog !== null;
  const ownReadTokens = isNode ? [] : (kept.readTokens ?? made.readTokens);
  const sourceOf = (name: keyof Credentials): Source => {
    if (config[name] !== null) return 'environment';
    if (isNode && name === 'readTokens') return 'default';
    return kept[name] === undefined ? 'generated' : 'file';
  };
  return {
    path: join(config.dataDirectory, credentialsFile),
    credentials: {
      tokens: config.tokens ?? kept.tokens ?? made.tokens,
      readTokens: config.readTokens ?? ownReadTokens,
      restUsername: config.restUsername ?? kept.restUsername ?? made.restUsername,
      restPassword: config.restPassword ?? kept.restPassword ?? made.restPassword,
      currentSigningKey:
        config.currentSigningKey ?? kept.currentSigningKey ?? made.currentSigningKey,
      nextSigningKey: config.nextSigningKey ?? kept.nextSigningKey ?? made.nextSigningKey,
    },
    sources: {
      tokens: sourceOf('tokens'),
      readTokens: sourceOf('readTokens'),
      restUsername: sourceOf('restUsername'),
      restPassword: sourceOf('restPassword'),
      currentSigningKey: sourceOf('currentSigningKey'),
      nextSigningKey: sourceOf('nextSigningKey'),
    },
  };
}

/** A folder that does not exist counts as empty. */
function namesIn(disk: Disk, directory: string): Promise<readonly string[]> {
  return disk.list(directory).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw diskError(`listing ${directory}`, error);
  });
}

async function keepCredentials(
  directory: string,
  disk: Disk,
  kept: KeptCredentials,
): Promise<void> {
  const content = Buffer.from(`${JSON.stringify(kept, null, 2)}\n`);
  const path = join(directory, credentialsFile);
  try {
    await replaceFile(disk, `${path}.new`, path, content);
    await disk.syncDirectory(directory);
  } catch (error) {
    throw diskError(`writing ${path}`, error);
  }
}

/** Webhooks need tokens that are base64 of a user and a password (messaging.md 1.1). */
function makeCredentials(identifiers: Identifiers): Credentials {
  const secret = () => newSecret(identifiers);
  return {
    tokens: [tokenOf('stepwell', secret())],
    readTokens: [tokenOf('reader', secret())],
    restUsername: 'stepwell',
    restPassword: secret(),
    currentSigningKey: `sig_${secret()}`,
    nextSigningKey: `sig_${secret()}`,
  };
}

/** A token in the form that webhooks need: it contains a user name. */
export function tokenOf(user: string, password: string): string {
  return Buffer.from(JSON.stringify({ UserID: user, Password: password })).toString('base64');
}

const tokenSchema = z.object({ UserID: z.string().min(1) });

function userIdOf(token: string): string | undefined {
  const named = tokenSchema.safeParse(jsonIn(Buffer.from(token, 'base64').toString('utf8')));
  return named.success ? named.data.UserID : undefined;
}
