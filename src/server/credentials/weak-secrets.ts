/** The secrets that `start` refuses: published ones, short ones, and repeated ones. */
import { ConfigurationError } from '../configuration/config.js';
import {
  type Credentials,
  type OpenedCredentials,
  placeOf,
  publishedCredentials,
} from './credentials.js';

/** 16 random characters of base64 have 96 bits. */
const lengthMin = 16;

/** Usernames are not secrets. Problems are listed in this order. */
const secretNames = [
  'tokens',
  'readTokens',
  'restPassword',
  'currentSigningKey',
  'nextSigningKey',
] as const satisfies (keyof Credentials)[];

type SecretName = (typeof secretNames)[number];

/**
 * Refuses credentials that are public or can be guessed, and a secret used for two purposes, as the
 * holder would have the rights of both. Throws `ConfigurationError` with one line for each problem.
 */
export function refuseWeakSecrets(opened: OpenedCredentials): void {
  const problems = [...published(opened), ...short(opened), ...repeated(opened)];
  if (problems.length > 0) throw new ConfigurationError(problems);
}

function secretsOf({ credentials }: OpenedCredentials, name: SecretName): readonly string[] {
  return [credentials[name]].flat();
}

function published(opened: OpenedCredentials): string[] {
  const known = new Set(Object.values(publishedCredentials).flat());
  return secretNames
    .filter((name) => secretsOf(opened, name).some((secret) => known.has(secret)))
    .map(
      (name) => `${placeOf(opened, name)} is a published development credential; only dev takes it`,
    );
}

function short(opened: OpenedCredentials): string[] {
  return secretNames
    .filter((name) => secretsOf(opened, name).some(({ length }) => length < lengthMin))
    .map(
      (name) =>
        `${placeOf(opened, name)} holds a secret of fewer than ${lengthMin} characters; ` +
        'only dev takes it',
    );
}

/** Reports each place once that repeats a secret of its own or of an earlier place. */
function repeated(opened: OpenedCredentials): string[] {
  const first = new Map<string, SecretName>();
  const problems = new Set<string>();
  for (const name of secretNames) {
    const place = placeOf(opened, name);
    for (const secret of secretsOf(opened, name)) {
      const other = first.get(secret);
      if (other === undefined) first.set(secret, name);
      else if (other === name) problems.add(`${place} holds the same secret twice`);
      else problems.add(`${place} holds a secret of ${placeOf(opened, other)}`);
    }
  }
  return [...problems];
}
