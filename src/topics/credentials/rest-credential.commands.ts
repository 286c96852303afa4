/** The commands of a credential of the log interface; the id is its name. */
import type { Command } from '../../engine/decider.js';
import type { Grant } from '../../http/identity/grant.js';

/** Create a credential under this name. */
export interface CreateRestCredential extends Command, Grant {
  readonly type: 'CreateRestCredential';
  /** SHA-256 of `name:password` in hexadecimal. */
  readonly digest: string;
}

/** Delete the credential, so that no client is admitted with it any more. */
export interface DeleteRestCredential extends Command {
  readonly type: 'DeleteRestCredential';
}

/** All commands, which come from `/admin/credentials`. */
export type RestCredentialCommand = CreateRestCredential | DeleteRestCredential;
