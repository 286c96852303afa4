/** The records of one consume, read as its client takes them. */

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

/** What an answer begins with: records, or partitions that have no offset to begin at. */
type Begun =
  | { readonly parts: AsyncGenerator<RecordsPart> }
  | { readonly undecided: readonly TopicPartition[] };

/**
 * Made for one request. What was handed out in it is taken back by its call where it is not written
 * whole.
 */
export class ConsumeAnswer {
  private changes = -1;
  private readonly texts = new Map<OwnedPartition, RecordTexts>();
  private recordsLeft: number;
  private bytesLeft: number;

  /** `call` has its turn; what is likely to be short, up to 64 KiB, is read without `allowance`. */
  constructor(
    private readonly polls: Polls,
    private readonly call: ConsumeCall,
    private readonly terms: PollTerms,
    private readonly allowance: ReadAllowance,
  ) {
    this.recordsLeft = terms.maxRecords;
    this.bytesLeft = terms.maxBytes;
  }

  /** Waits for records as long as the call may; all that follow are read without waiting. */
  async begin(): Promise<Begun> {
    const { terms, allowance } = this;
    // A call that waits for records to come holds no allowance.
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

  /** `isPiece`: there is enough for a first one; `isCut`: more is there. */
  private async *rest(isPiece: boolean, isCut: boolean): AsyncGenerator<RecordsPart> {
    let isLast = !isCut || !this.hasMore;
    if (isLast || isPiece) yield { texts: this.flush(), isLast };
    while (!isLast) {
      await this.allowance.wait();
      const polled = await this.poll(pieceBytes, true, 0).catch(nothingOfDamage);
      const parts = 'parts' in polled ? polled.parts : [];
      await this.show(parts);
      isLast = parts.length === 0 || !('isCut' in polled && polled.isCut) || !this.hasMore;
      yield { texts: this.flush(), isLast };
    }
  }

  /** `isAllowed`: a long record is allowed, too. */
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
   * Writes records down while what this call acknowledged is on its way to the disk; settles when
   * that, and where the session begins, is durable: before that nothing is shown.
   */
  private async show(parts: readonly PartitionRead[]): Promise<void> {
    this.add(parts);
    await this.call.stored();
  }

  /** Of what it owned when the call came: an answer belongs to one generation. */
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

/** The records before damage are an answer; the next call is answered with it. */
function nothingOfDamage(error: unknown): Polled {
  if (damageRefusal(error) === undefined) throw error;
  return { parts: [], isLongNext: false, isCut: false };
}
