/** The commands of a credential of the log interface; its name is the id. */
import type { Command } from '../../engine/decider.js';
import type { Grant } from '../../http/identity/grant.js';

/** Let clients enter under this name. */
export interface CreateRestCredential extends Command, Grant {
  readonly type: 'CreateRestCredential';
  /** SHA-256 of `name:password` in hexadecimal. */
  readonly digest: string;
}

/** Let no client enter with it any more. */
export interface DeleteRestCredential extends Command {
  readonly type: 'DeleteRestCredential';
}

/** From `/admin/credentials`. */
export type RestCredentialCommand = CreateRestCredential | DeleteRestCredential;
