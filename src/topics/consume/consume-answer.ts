/** The records of one consume, read at the pace of its client. */

import { pieceBytes, type ReadAllowance, smallAnswerBytes } from '../../http/bytes/in-flight.js';
import { RecordTexts } from '../records/record-text.js';
import type { RecordsPart } from '../records/records-answer.js';
import type { TopicPartition } from '../records/topic-partition.js';
import type { OwnedPartition } from '../sessions/positions.js';
import { damageRefusal } from '../topics/damaged-records.js';
import { likelyBytes } from '../topics/shared-reads.js';
import type { ConsumeCall } from './consume-call.js';
import type { Polled, Polls, PollTerms } from './poll.js';
import type { PartitionRead } from './share-reads.js';

/** The start of an answer: records, or partitions without an offset to start at. */
type Begun =
  | { readonly parts: AsyncGenerator<RecordsPart> }
  | { readonly undecided: readonly TopicPartition[] };

/**
 * Created for one request. If the answer is not written completely, its call takes back the records
 * that were handed out.
 */
export class ConsumeAnswer {
  private changes = -1;
  private readonly texts = new Map<OwnedPartition, RecordTexts>();
  private recordsLeft: number;
  private bytesLeft: number;

  /**
   * `call` must have its turn. An answer that is likely to be short, up to 64 KiB, is read without
   * `allowance`.
   */
  constructor(
    private readonly polls: Polls,
    private readonly call: ConsumeCall,
    private readonly terms: PollTerms,
    private readonly allowance: ReadAllowance,
  ) {
    this.recordsLeft = terms.maxRecords;
    this.bytesLeft = terms.maxBytes;
  }

  /** Waits for records as long as the call may; all further records are read without waiting. */
  async begin(): Promise<Begun> {
    const { terms, allowance } = this;
    // A call that waits for new records holds no allowance.
    let isAllowed = this.isLikelyLong && allowance.takeNow();
    let polled = await this.poll(isAllowed ? pieceBytes : smallAnswerBytes, isAllowed, terms.until);
    if ('parts' in polled && polled.isLongNext) {
      await allowance.wait();
      isAllowed = true;
      polled = await this.poll(pieceBytes, isAllowed, terms.until);
    }
    if ('undecided' in polled) return polled;
    this.changes = this.call.session.changes;
    await this.show(polled.parts);
    return { parts: this.rest(isAllowed, polled.isCut) };
  }

  /** `isPiece`: the records read so far are sent as a first part; `isCut`: more records exist. */
  private async *rest(isPiece: boolean, isCut: boolean): AsyncGenerator<RecordsPart> {
    let isLast = !isCut || !this.hasMore;
    if (isLast || isPiece) yield { texts: this.flush(), isLast };
    while (!isLast) {
      await this.allowance.wait();
      // The client may have taken long: an answer does not go on into another generation.
      const polled = this.hasMore
        ? await this.poll(pieceBytes, true, 0).catch(nothingOfDamage)
        : nothingMore;
      const parts = 'parts' in polled ? polled.parts : [];
      await this.show(parts);
      isLast = parts.length === 0 || !('isCut' in polled && polled.isCut) || !this.hasMore;
      yield { texts: this.flush(), isLast };
    }
  }

  /** `isAllowed`: a long record may be read, too. */
  private async poll(bytesMax: number, isAllowed: boolean, until: number): Promise<Polled> {
    const { call, terms, recordsLeft, bytesLeft } = this;
    const isFirst = recordsLeft === terms.maxRecords;
    const longest = isFirst ? Number.POSITIVE_INFINITY : bytesLeft;
    const poll = this.polls.of(call.session, {
      maxRecords: recordsLeft,
      maxBytes: Math.min(bytesLeft, bytesMax),
      oneBytesMax: isAllowed ? longest : smallAnswerBytes,
      until,
      encoding: terms.encoding,
      mayRead: terms.mayRead,
    });
    call.watch(() => poll.cancel());
    return poll.run();
  }

  /**
   * Encodes records while the offsets that this call acknowledged are being written to disk.
   * Resolves when these offsets and the session's start positions are durable: before that, nothing
   * may be shown.
   */
  private async show(parts: readonly PartitionRead[]): Promise<void> {
    this.add(parts);
    await this.call.stored();
  }

  /**
   * Whether there are more records in the partitions owned at the start of the answer, which
   * belongs to one generation.
   */
  private get hasMore(): boolean {
    const { changes, recordsLeft, bytesLeft } = this;
    const { session } = this.call;
    if (recordsLeft <= 0 || bytesLeft <= 0 || session.isEnded) return false;
    return session.changes === changes && this.hasRecords;
  }

  private get isLikelyLong(): boolean {
    const { maxRecords } = this.terms;
    const bytes = this.call.session.positions.all.map(({ log, position }) =>
      log === null || position < 0 ? 0 : likelyBytes(log, position, maxRecords),
    );
    return bytes.reduce((sum, each) => sum + each, 0) > smallAnswerBytes;
  }

  private get hasRecords(): boolean {
    return this.call.session.positions.all.some(
      ({ log, position }) => log !== null && position >= 0 && log.highWatermark > position,
    );
  }

  private add(parts: readonly PartitionRead[]): void {
    for (const { own, records } of parts) {
      const texts = this.texts.get(own) ?? new RecordTexts(own, this.terms.encoding);
      this.texts.set(own, texts);
      for (const record of records) {
        texts.add(record, Number.POSITIVE_INFINITY);
        this.bytesLeft -= (record.key?.length ?? 0) + (record.value?.length ?? 0);
      }
      this.recordsLeft -= records.length;
    }
  }

  private flush(): readonly RecordTexts[] {
    const texts = [...this.texts.values()];
    this.texts.clear();
    return texts;
  }
}

const nothingMore: Polled = { parts: [], isLongNext: false, isCut: false };

/** The records before damage are a complete answer; the next call gets the error of the damage. */
function nothingOfDamage(error: unknown): Polled {
  if (damageRefusal(error) === undefined) throw error;
  return { parts: [], isLongNext: false, isCut: false };
}
