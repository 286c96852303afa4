/**
 * Where the server of a data folder listens. It is kept beside the credentials, so that client
 * commands on the same machine need neither a URL nor a token. A killed process leaves it behind.
 */
import { join } from 'node:path';
import type { Disk } from '../../../storage/disk/disk.js';
import { readWhole, withFile, writeFully } from '../../../storage/disk/whole-file.js';
import { errorCode } from '../../../storage/faults/storage-errors.js';

/** The name of the file in the data folder, mode 0600. */
export const addressFile = 'address.json';

/** The name from `credentials.ts`, whose import would load the grammars of the configuration. */
const credentialsFile = 'credentials.json';

/** What a client needs to reach the server of a folder. */
export interface KeptAddress {
  readonly url: string;
  /** The dialect of messages that do not name one. */
  readonly dialect: string;
  readonly token: string;
  readonly basic: { readonly username: string; readonly password: string };
}

/**
 * Keeps the address while the server runs. `published` are the public credentials of `dev`; secrets
 * are never written here.
 */
export async function keepAddress(
  disk: Disk,
  folder: string,
  server: Pick<KeptAddress, 'url' | 'dialect'>,
  published: Pick<KeptAddress, 'token' | 'basic'> | null,
): Promise<void> {
  const path = join(folder, addressFile);
  const content = Buffer.from(`${JSON.stringify({ ...server, ...published }, null, 2)}\n`);
  const aside = `${path}.new`;
  await disk.remove(aside).catch(() => undefined);
  // Not synced: after a power cut, no server listens there.
  await withFile(disk, aside, 'create', (file) => writeFully(disk, file, content, 0));
  await disk.rename(aside, path);
}

/** Called at a clean stop: the server is gone. */
export async function forgetAddress(disk: Disk, folder: string): Promise<void> {
  await disk.remove(join(folder, addressFile)).catch(() => undefined);
}

/** What the folder says; without what is missing or unreadable. */
export async function readKeptAddress(disk: Disk, folder: string): Promise<Partial<KeptAddress>> {
  const address = await fieldsOf(disk, join(folder, addressFile));
  const kept = await fieldsOf(disk, join(folder, credentialsFile));
  const [token] = Array.isArray(kept['tokens']) ? kept['tokens'] : [];
  const { restUsername: username, restPassword: password } = kept;
  return {
    ...(typeof token === 'string' && { token }),
    ...(typeof username === 'string' &&
      typeof password === 'string' && { basic: { username, password } }),
    ...address,
  };
}

async function fieldsOf(disk: Disk, path: string): Promise<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse((await readWhole(disk, path)).toString('utf8'));
    return typeof content === 'object' && content !== null ? { ...content } : {};
  } catch (error) {
    const isAbsent = ['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error) ?? '');
    if (isAbsent || error instanceof SyntaxError) return {};
    throw error;
  }
}
