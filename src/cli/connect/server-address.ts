/** Finds the server that a client command talks to. */
import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import type { ServerAddress } from './api-client.js';
import {
  type ClientEnvironment,
  clientDialects,
  readClientEnvironment,
} from './client-environment.js';
import { ClientError } from './client-errors.js';
import { givenToken } from './given-token.js';

/** Options that every client command takes. */
export interface AddressOptions {
  readonly url?: string;
  readonly token?: string;
  readonly dataDir?: string;
  readonly dialect?: string;
}

/** Where a server listens by default. */
const usualUrl = 'http://127.0.0.1:8080';

/**
 * The address and its credentials. An option takes precedence over the environment, and that over
 * the data folder, in which a running server keeps its address, and `start` its credentials. What a
 * folder keeps is sent only to the server of that folder. A token given as an option is the only
 * credential sent: it may have fewer rights on purpose. Throws `ClientError` for an invalid URL or
 * dialect.
 */
export async function findServer(options: AddressOptions): Promise<ServerAddress> {
  const environment = readClientEnvironment();
  const given = options.url ?? environment.url;
  if (given !== null) refuseOtherUrl(given, options.url === undefined ? 'STEPWELL_URL' : '--url');
  refuseOtherDialect(environment.dialect);
  const token = options.token === undefined ? null : await givenToken(options.token);
  const kept = given === null ? await readFolder(options.dataDir ?? environment.dataDirectory) : {};
  return {
    url: (given ?? kept.url ?? usualUrl).replace(/\/+$/, ''),
    ...(token === null ? credentialsOf(environment, kept) : { token, basic: null }),
    dialect: options.dialect ?? environment.dialect ?? kept.dialect ?? null,
  };
}

/**
 * Without `--token`: credentials of the folder are used only if the environment has none of that
 * kind.
 */
function credentialsOf(
  { token, basic }: ClientEnvironment,
  kept: Partial<ServerAddress>,
): Pick<ServerAddress, 'token' | 'basic'> {
  return { token: token ?? kept.token ?? null, basic: basic ?? kept.basic ?? null };
}

function refuseOtherUrl(url: string, place: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  throw new ClientError(`${place} ${url} is not a URL like ${usualUrl}`, exitCodes.usage);
}

/**
 * A server ignores options spelt in a dialect it does not know, and would send the message without
 * them.
 */
function refuseOtherDialect(dialect: string | null): void {
  if (dialect === null || clientDialects.includes(dialect)) return;
  const names = clientDialects.join(', ');
  throw new ClientError(`STEPWELL_DIALECT ${dialect} is not one of ${names}`, exitCodes.usage);
}

/** What a data folder says about its server; empty if there is no folder. */
async function readFolder(folder: string): Promise<Partial<ServerAddress>> {
  // Reading a folder loads the disk module: a command with a given URL starts without it.
  const { nodeDisk } = await import('../../../storage/disk/node-disk.js');
  const { readKeptAddress } = await import('../../server/lifecycle/kept-address.js');
  const kept = await readKeptAddress(nodeDisk, folder);
  // A folder copied from elsewhere must not direct a token to another machine.
  return kept.url === undefined || isOnThisMachine(kept.url) ? kept : {};
}

function isOnThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  // A host name may also begin with these digits, and point anywhere.
  const isLoopback = isIPv4(host) ? host.startsWith('127.') : ['localhost', '::1'].includes(host);
  if (isLoopback) return true;
  return Object.values(networkInterfaces()).some((all) => all?.some((a) => a.address === host));
}
