/** Finds the server that a client command speaks to. */
import { networkInterfaces } from 'node:os';
import type { ServerAddress } from './api-client.js';
import { type ClientEnvironment, readClientEnvironment } from './client-environment.js';
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
 * folder keeps is sent to the server of that folder and to no other one.
 */
export async function findServer(
  options: AddressOptions,
  environment: ClientEnvironment = readClientEnvironment(),
): Promise<ServerAddress> {
  const given = options.url ?? environment.url;
  const token = options.token === undefined ? environment.token : await givenToken(options.token);
  const kept = given === null ? await readFolder(options.dataDir ?? environment.dataDirectory) : {};
  return {
    url: (given ?? kept.url ?? usualUrl).replace(/\/+$/, ''),
    token: token ?? kept.token ?? null,
    basic: environment.basic ?? kept.basic ?? null,
    dialect: options.dialect ?? environment.dialect ?? kept.dialect ?? null,
  };
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
  if (host === 'localhost' || host.startsWith('127.') || host === '::1') return true;
  return Object.values(networkInterfaces()).some((all) => all?.some((a) => a.address === host));
}
