/** What the events of a run are found by in the journal (storage/README.md "Bytes"). Pure. */
import { anyRunTerm, messageTerm } from '../../messaging/messages/message-terms.js';
import type { RunTerms } from './run.events.js';

/** What the events are found by that say how a run is to be called: its start, a takeover. */
export const configuredRunTerm = 'run-started';

/** What a run is found by, and its events and messages. */
export interface RunOrigin {
  readonly url: string;
  readonly terms: Pick<RunTerms, 'labels' | 'flowControl'> | null;
}

/** The terms of every event of a run; its messages have them too, and more of their own. */
export function runTerms(runId: string, { url, terms }: RunOrigin): readonly string[] {
  const found = [messageTerm.runId(runId), anyRunTerm, messageTerm.url(url)];
  if (terms === null) return found;
  found.push(...terms.labels.map(messageTerm.label));
  if (terms.flowControl !== null) found.push(messageTerm.flowControlKey(terms.flowControl.key));
  return found;
}
