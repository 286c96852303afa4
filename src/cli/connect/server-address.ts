/** Finds the server that a client command speaks to. */
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

/** Where a server listens without settings. */
const usualUrl = 'http://127.0.0.1:8080';

/**
 * The address and its credentials. An option counts before the environment, and that before the
 * data folder, in which a running server leaves its address, and `start` its credentials. What a
 * folder keeps is sent to the server of that folder and to no other one. A token that is given as
 * an option is all that is sent: it may have fewer rights on purpose. Throws `ClientError` for a
 * URL or a dialect that is none.
 */
export async function findServer(
  options: AddressOptions,
  environment: ClientEnvironment = readClientEnvironment(),
): Promise<ServerAddress> {
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

/** Without the option: those of the folder count only where the environment has none for a path. */
function credentialsOf(
  { token, basic }: ClientEnvironment,
  kept: Partial<ServerAddress>,
): Pick<ServerAddress, 'token' | 'basic'> {
  return { token: token ?? kept.token ?? null, basic: basic ?? kept.basic ?? null };
}

function refuseOtherUrl(url: string, place: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  throw new ClientError(`${place} ${url} is no URL like ${usualUrl}`, exitCodes.usage);
}

/** Options in words that the server does not know would be left out, and the message sent. */
function refuseOtherDialect(dialect: string | null): void {
  if (dialect === null || clientDialects.includes(dialect)) return;
  const names = clientDialects.join(', ');
  throw new ClientError(`STEPWELL_DIALECT ${dialect} is not one of ${names}`, exitCodes.usage);
}

/** What a data folder tells of its server; nothing where there is none. */
async function readFolder(folder: string): Promise<Partial<ServerAddress>> {
  // Reading a folder brings the disk with it: a command that was given a URL starts without.
  const { nodeDisk } = await import('../../../storage/disk/node-disk.js');
  const { readKeptAddress } = await import('../../server/lifecycle/kept-address.js');
  const kept = await readKeptAddress(nodeDisk, folder);
  // A folder that came from elsewhere must not lead a token away from this machine.
  return kept.url === undefined || isOnThisMachine(kept.url) ? kept : {};
}

function isOnThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  // A name may begin with these digits, too, and lead anywhere.
  const isLoopback = isIPv4(host) ? host.startsWith('127.') : ['localhost', '::1'].includes(host);
  if (isLoopback) return true;
  return Object.values(networkInterfaces()).some((all) => all?.some((a) => a.address === host));
}
