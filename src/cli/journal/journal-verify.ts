/** `stepwell journal verify`: checks everything in the data folder that can be checked. */
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { type VerifiedLog, verifyStore } from '../../../storage/verify/verify-store.js';
import { journalLogName } from '../../engine/journal.js';
import { readerOptions, readJournal } from './journal-reader.js';
import { chainLine, faultAgainst, type KeptHead } from './kept-head.js';
import { StreamChains } from './stream-chains.js';

/** The result of a verification; without problems, the folder is intact. */
export interface VerificationReport {
  /** One line for each log, then one for the journal's events. */
  readonly lines: readonly string[];
  /** One line for each piece of damage: file, range, reason, last good offset. */
  readonly problems: readonly string[];
}

const megabyte = 1024 * 1024;

/**
 * Verifies a folder, also beside a running server, and compares it with heads that were kept
 * elsewhere. Rejects with `DiskFailure` if there is no folder. `onProgress` gets a progress line,
 * many times a second.
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
  // Events can only be checked if the records that hold them are intact.
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

/** Checks that every event can be decoded and follows the previous event of its stream. */
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
