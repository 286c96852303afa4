/** `stepwell journal verify`: everything in the data folder that can be checked, checked. */
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { type VerifiedLog, verifyStore } from '../../../storage/verify/verify-store.js';
import { journalLogName } from '../../engine/journal.js';
import { readerOptions, readJournal } from './journal-reader.js';
import { chainLine, faultAgainst, type KeptHead } from './kept-head.js';
import { StreamChains } from './stream-chains.js';

/** What a verification says; no problems: the folder is whole. */
export interface VerificationReport {
  /** One line for each log, then one for the journal's events. */
  readonly lines: readonly string[];
  /** One line for each damage: file, range, reason, last good offset. */
  readonly problems: readonly string[];
}

const megabyte = 1024 * 1024;

/**
 * Verifies a folder, also beside a running server, and holds it against heads that were kept
 * elsewhere. Rejects with `DiskFailure` if none is there.
 * `onProgress` is given a line that says how far it is, many times a second.
 */
export async function verifyFolder(
  dataDirectory: string,
  onProgress: (line: string) => void = () => undefined,
  against: readonly KeptHead[] = [],
): Promise<VerificationReport> {
  const { logs, damages } = await verifyStore(
    nodeDisk,
    dataDirectory,
    readerOptions,
    ({ bytes, bytesTotal }) => {
      const [done, total] = [bytes, bytesTotal].map((count) => Math.ceil(count / megabyte));
      onProgress(`verified ${done} of ${total} MiB`);
    },
  );
  const lines = logs.map(logLine);
  const problems = damages.map(({ message }) => message);
  const chain = logs.find(({ name }) => name === journalLogName)?.chain ?? null;
  if (chain !== null && problems.length === 0) lines.push(chainLine(chain));
  for (const kept of against) {
    const fault = faultAgainst(chain, kept);
    if (fault === null) lines.push(`${kept.digest} is a digest of this journal`);
    else problems.push(fault);
  }
  const isReadable = logs.some(({ name, isDamaged }) => name === journalLogName && !isDamaged);
  // Its events stand on records that are whole.
  if (!isReadable || problems.length > 0) return { lines, problems };
  const events = await verifyEvents(dataDirectory, onProgress);
  return { lines: [...lines, events.line], problems: events.problems };
}

function logLine(log: VerifiedLog): string {
  const { name, startOffset, endOffset, segments, batches, records, bytes, indexes } = log;
  const counts = { segments, batches, records, bytes, indexes };
  const what = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  const verdict = log.isDamaged ? 'DAMAGED' : 'intact';
  return `${name} [${startOffset}, ${endOffset}): ${what.join(', ')}: ${verdict}`;
}

/** Every event can be decoded and follows the one before it in its stream. */
function verifyEvents(
  dataDirectory: string,
  onProgress: (line: string) => void,
): Promise<{ line: string; problems: string[] }> {
  return readJournal(dataDirectory, async (journal) => {
    const chains = new StreamChains(journal?.startOffset ?? 0);
    const problems: string[] = [];
    const total = (journal?.highWatermark ?? 0) - (journal?.startOffset ?? 0);
    for await (const envelopes of journal?.replay() ?? []) {
      onProgress(`followed ${chains.events} of ${total} events`);
      for (const envelope of envelopes) {
        const fault = chains.follow(envelope);
        if (fault !== null) problems.push(`damaged data: offset ${envelope.offset}: ${fault}`);
      }
    }
    const verdict = problems.length === 0 ? 'every chain holds' : 'BROKEN CHAINS';
    return { line: `${chains.events} events, ${chains.streams} streams: ${verdict}`, problems };
  });
}
