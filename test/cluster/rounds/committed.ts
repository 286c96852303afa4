/** Reads from a shared log which messages were committed, and by which owner. */
import type { CommitLog } from '../../../src/cluster/commit-log.js';
import { decodeEntry } from '../../../src/cluster/entry.js';
import { ownershipRules } from '../../../src/cluster/rules.js';
import { SharedHistory } from '../../../src/cluster/shared-history.js';
import { journalLogName } from '../../../src/engine/journal.js';
import { decodeChanges } from '../../../src/server/cluster/log-changes.js';
import type { Committed } from './observed.js';

/** What the log says, from its first entry: nothing may be trimmed, and it has to say its time. */
export interface CommittedLog {
  /**
   * By message id, where the log first names the message in a batch that counts, if there is one.
   */
  readonly messages: ReadonlyMap<string, Committed>;
  /** Number of owners that the log has had. */
  readonly epochs: number;
}

export async function committedIn(log: CommitLog): Promise<CommittedLog> {
  const history = new SharedHistory(ownershipRules);
  const messages = new Map<string, Committed>();
  const note = (body: Buffer, committed: Committed) => {
    for (const [id] of body.toString('latin1').matchAll(/msg_[0-9A-Z]+/g)) {
      if (messages.get(id)?.counts !== true) messages.set(id, committed);
    }
  };
  for (let end = 1; history.state.next < end; ) {
    const found = await log.read(history.state.next);
    end = found.end;
    if (found.start > history.state.next) throw new Error('the log has lost its beginning');
    for (const entry of found.entries) {
      const verdict = history.fold(entry);
      if (verdict.kind === 'hole') throw new Error(`place ${entry.place} is missing`);
      if (verdict.kind === 'counted') {
        const { epoch, body } = verdict.batch;
        const at = timeOf(verdict.batch);
        for (const change of decodeChanges(body)) {
          if (change.kind === 'appended' && change.log === journalLogName) {
            note(change.records.body, { epoch, at, counts: true });
          }
        }
      } else if (verdict.kind === 'ignored') {
        const said = decodeEntry(entry.bytes);
        if (said?.kind !== 'part') continue;
        note(said.body, { epoch: said.epoch, at: timeOf(entry), counts: false });
      }
    }
  }
  return { messages, epochs: history.state.epoch };
}

function timeOf({ at, place }: { readonly at: number | null; readonly place: number }): number {
  if (at === null) throw new Error(`the log does not say when it took place ${place}`);
  return at;
}
