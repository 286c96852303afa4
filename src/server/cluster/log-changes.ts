/** The content of one batch of the shared log: changes of the logs of a store, in order. */
import { Packr } from 'msgpackr';
import { NewerFormat } from '../../../storage/faults/storage-errors.js';
import type { CommittedRecords } from '../../../storage/log/commit-stream.js';

/** A change of one log. */
export type LogChange =
  | { readonly kind: 'appended'; readonly log: string; readonly records: CommittedRecords }
  | { readonly kind: 'trimmed'; readonly log: string; readonly offset: number }
  | { readonly kind: 'dropped'; readonly log: string };

/** `[version, ...changes]`: `[log, baseOffset, body]`, `[log, offset]` or `[log]`. */
type Packed = [number, ...(readonly [string, number?, Buffer?])[]];

const version = 1;
const packr = new Packr({ useRecords: false });

/** Encodes changes; the bytes of the records are copied. */
export function encodeChanges(changes: readonly LogChange[]): Buffer {
  const packed: Packed = [version];
  for (const change of changes) {
    if (change.kind === 'dropped') packed.push([change.log]);
    else if (change.kind === 'trimmed') packed.push([change.log, change.offset]);
    else packed.push([change.log, change.records.baseOffset, change.records.body]);
  }
  return packr.pack(packed);
}

/** Decodes changes. Throws `NewerFormat` if a later version of the program wrote them. */
export function decodeChanges(bytes: Buffer): LogChange[] {
  const [written, ...changes]: Packed = packr.unpack(bytes);
  if (written > version) {
    throw new NewerFormat(`the shared log has a batch of format ${written}`);
  }
  return changes.map(([log, offset, body]) => {
    if (offset === undefined) return { kind: 'dropped', log };
    if (body === undefined) return { kind: 'trimmed', log, offset };
    return { kind: 'appended', log, records: { baseOffset: offset, body } };
  });
}
