/** Finds the journal offsets of pending messages that a listing may show, newest first. */
import TinyQueue from 'tinyqueue';
import type { Journal } from '../../engine/journal.js';
import type { EndpointCalls } from '../delivery/message.effects.js';
import { pendingState } from '../delivery/pending-state.js';
import type { Messages } from '../messages/message.entity.js';
import type { PendingMessage } from '../messages/message.state.js';
import { isAmong, originTerms } from '../messages/message-filter.js';
import type { SelectedMessages } from './message-list.request.js';

/** How many are examined per tick; fewer if states may have to be unpacked. */
const itemsPerTick = 4096;
const wakesPerTick = 512;

/** How many candidates from memory are kept; older ones are left for the next page. */
const candidatesMax = 20_000;

/** The sources that are searched. */
export interface CandidateSource {
  readonly messages: Messages;
  readonly journal: Journal;
  readonly calls: Pick<EndpointCalls, 'startedAt' | 'running'>;
}

/** The offsets that were found, and whether there may be more. */
export interface Candidates {
  readonly offsets: AsyncIterable<number> | Iterable<number>;
  /** There may be other candidates below the last offset. */
  readonly isCut: boolean;
}

/** The candidates that began before `until`; the cost is in proportion to the pending messages. */
export async function candidatesOf(
  source: CandidateSource,
  query: SelectedMessages,
  until: number,
  now: number,
): Promise<Candidates> {
  const terms = originTerms(query);
  const { queueName, flowControlKey, workflowRunId, messageIds, state } = query;
  const knownInMemory = [queueName, flowControlKey, workflowRunId, messageIds, state];
  if (terms.length > 0 && knownInMemory.every((filter) => filter === null)) {
    return { offsets: await indexed(source, terms, until), isCut: false };
  }
  const newest = new TinyQueue<number>([], (one, other) => one - other);
  let isCut = false;
  await walk(source, query, now, (offset) => {
    if (offset >= until) return;
    newest.push(offset);
    if (newest.length <= candidatesMax) return;
    newest.pop();
    isCut = true;
  });
  const offsets = newest.data.sort((one, other) => other - one);
  // A stream that is woken during the walk is visited twice.
  return { offsets: offsets.filter((offset, index) => offset !== offsets[index - 1]), isCut };
}

/** The index covers the whole past, so only the publishes of pending messages are taken. */
async function indexed(
  { messages, journal }: CandidateSource,
  terms: readonly (readonly string[])[],
  until: number,
): Promise<AsyncGenerator<number>> {
  const begun = new Set<number>();
  let from = until;
  for await (const id of messages.actors.walkIds(itemsPerTick)) {
    const offset = messages.actors.firstOffsetOf(id) ?? until;
    begun.add(offset);
    from = Math.min(from, offset);
  }
  return among(begun, journal.offsets({ terms, from, until, order: 'newest' }));
}

async function* among(
  known: ReadonlySet<number>,
  offsets: AsyncIterable<number>,
): AsyncGenerator<number> {
  for await (const offset of offsets) if (known.has(offset)) yield offset;
}

/** Calls `take` for each candidate: a generator around that of the ids would double the cost. */
async function walk(
  source: CandidateSource,
  query: SelectedMessages,
  now: number,
  take: (offset: number) => void,
): Promise<void> {
  const { actors } = source.messages;
  const { queueName, flowControlKey, workflowRunId, state } = query;
  const looksInside = [queueName, flowControlKey, workflowRunId, state].some(
    (filter) => filter !== null,
  );
  for await (const id of idsOf(source, query, looksInside ? wakesPerTick : itemsPerTick)) {
    if (looksInside) {
      const message = source.messages.pending(id);
      const startedAt = source.calls.startedAt(id);
      if (message === undefined || !isSelected(query, message, startedAt, now)) continue;
    }
    const offset = actors.firstOffsetOf(id);
    if (offset !== undefined) take(offset);
  }
}

/** Ids of pending messages; they include all that match. */
function idsOf(
  { messages, calls }: CandidateSource,
  { messageIds, state }: SelectedMessages,
  perTick: number,
): AsyncIterable<string> | Iterable<string> {
  if (messageIds !== null) return new Set(messageIds);
  if (state?.size === 1 && state.has('ACTIVE')) {
    return [...calls.running()].map(({ messageId }) => messageId);
  }
  return messages.actors.walkIds(perTick);
}

/** Whether a message matches, as far as memory knows. */
function isSelected(
  { queueName, flowControlKey, workflowRunId, state }: SelectedMessages,
  message: PendingMessage,
  startedAt: number | null,
  now: number,
): boolean {
  const { delivery, run } = message;
  return (
    isAmong(delivery.queueName, queueName) &&
    isAmong(delivery.flowControlKey, flowControlKey) &&
    isAmong(run?.runId ?? null, workflowRunId) &&
    (state === null || state.has(pendingState(message, startedAt, now)))
  );
}
