/** Heads of the journal that were kept elsewhere, and the comparison with them (ADR 40). */
import type { VerifiedChain } from '../../../storage/verify/verify-chain.js';

/** `digest` is hex; if `offset` is null, any part of the journal may have this digest. */
export interface KeptHead {
  readonly digest: string;
  readonly offset: number | null;
}

/** Parses a head: `<digest>` or `<digest>@<offset>`; null for anything else. */
export function readKeptHead(text: string): KeptHead | null {
  const match = /^([0-9a-f]{64})(?:@(\d{1,15}))?$/i.exec(text);
  if (match === null) return null;
  const [, digest = '', offset] = match;
  return { digest: digest.toLowerCase(), offset: offset === undefined ? null : Number(offset) };
}

/** Why the journal does not match the kept head; null if it does. */
export function faultAgainst(chain: VerifiedChain | null, kept: KeptHead): string | null {
  const { digest, offset } = kept;
  const heads = chain?.heads ?? [];
  const end = heads.at(-1)?.offset ?? 0;
  const same = heads.find((head) => head.digest === digest);
  if (same !== undefined && (offset ?? same.offset) === same.offset) return null;
  if (offset === null) {
    return `no part of the journal up to ${end} has the digest ${digest}: it was changed`;
  }
  if (offset > end) {
    return `the journal is sealed up to ${end}: its records from there up to ${offset} are gone`;
  }
  const there = heads.find((head) => head.offset === offset);
  if (there === undefined) {
    return `no part of the journal ends at ${offset}: it was changed`;
  }
  return `the digest at ${offset} is ${there.digest}, not ${digest}: earlier records were changed`;
}

/** The state of the journal's chain, in one line. */
export function chainLine({ heads, removedRecords, removedUntil }: VerifiedChain): string {
  const head = heads.at(-1);
  if (head === undefined) return 'nothing is sealed yet';
  const removed =
    removedRecords === 0 ? '' : `; ${removedRecords} records before ${removedUntil} were removed`;
  return `digest ${head.digest} at ${head.offset}: every sealed record is unchanged${removed}`;
}
