/** Dead letters as they are asked for: found, shown, taken away, and tried again. */

import { dispatchAll, slicesOf } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import type { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import type { Payloads } from '../../engine/payloads.js';
import type { PublishMessage } from '../messages/message.commands.js';
import {
  type MessageFailed,
  type MessagePublished,
  messageKind,
} from '../messages/message.events.js';
import type { DeleteDeadLetter, RetryDeadLetter } from './dead-letter.commands.js';
import { deadLetterKind } from './dead-letter.events.js';
import { DeadLetterMatching } from './dead-letter-matching.js';
import { type DeadLetterObject, deadLetterObject } from './dead-letter-object.js';
import type { DeadLetter } from './dead-letters.projection.js';
import type { LetterFilters, ListFilters } from './dead-letters.request.js';
import type { LetterIndex } from './letter-index.js';
import { listed } from './letter-listing.js';
import { LetterSearch } from './letter-search.js';
import { type RetryOverrides, retriedMessage } from './retry.request.js';

type Published = EventEnvelope<MessagePublished>;

const noBody = Buffer.alloc(0);

/** What the service works with. */
export interface DeadLettersTools {
  readonly engine: Engine;
  readonly payloads: Payloads;
  /** What may be shown of a message's body. */
  readonly readShown: (published: Published) => Promise<Buffer | null>;
  readonly letters: LetterIndex<DeadLetter>;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
}

export class DeadLettersService {
  private readonly search: LetterSearch<DeadLetter, LetterFilters>;

  constructor(private readonly tools: DeadLettersTools) {
    const { engine, letters, payloads, clock } = tools;
    const matching = new DeadLetterMatching(payloads);
    this.search = new LetterSearch(engine, letters, clock, (letter, filters: LetterFilters) =>
      matching.matches(letter, filters),
    );
  }

  /** The letter with this id, if there is one. */
  find(id: string): Promise<DeadLetter | undefined> {
    return this.search.find(id);
  }

  /** The letter as it may be shown. */
  async shown(letter: DeadLetter): Promise<DeadLetterObject> {
    const { payloads, readShown } = this.tools;
    const published = await this.published(letter.publishedOffset);
    const failed = (await payloads.read(letter.offset)) as EventEnvelope<MessageFailed>;
    return deadLetterObject(letter, published, await readShown(published), failed);
  }

  /** One page of the letters that match, part by part. */
  list(filters: ListFilters): ReturnType<typeof listed> {
    const find = () => this.search.page(filters, filters.order);
    return listed(find, (letter) => this.shown(letter));
  }

  /** Whether there was such a letter to delete. */
  async delete(id: string): Promise<boolean> {
    return (await this.deleteAll([id])) === 1;
  }

  /** Deletes the named letters, or up to `count` of those that match, the oldest first. */
  async deleteMatching(filters: LetterFilters): Promise<{ deleted: number; cursor?: string }> {
    const { letters, cursor } = await this.search.bulk(filters);
    const deleted = await this.deleteAll(letters.map(({ id }) => id));
    return { deleted, ...(cursor !== null && { cursor }) };
  }

  /** The new message that stands in for the letter; null = there is no such letter. */
  async retry(id: string, overrides: RetryOverrides): Promise<string | null> {
    const [messageId] = await this.retryAll(this.search.named([id]), overrides);
    return messageId ?? null;
  }

  /** As `deleteMatching`: the new messages, in the order of their letters. */
  async retryMatching(
    filters: LetterFilters,
    overrides: RetryOverrides,
  ): Promise<{ responses: { messageId: string }[]; cursor?: string }> {
    const { letters, cursor } = await this.search.bulk(filters);
    const retried = await this.retryAll(letters, overrides);
    const responses = retried.map((messageId) => ({ messageId }));
    return { responses, ...(cursor !== null && { cursor }) };
  }

  private async published(offset: number): Promise<Published> {
    return (await this.tools.payloads.read(offset)) as Published;
  }

  private async deleteAll(ids: readonly string[]): Promise<number> {
    const { engine, clock } = this.tools;
    const at = clock.now();
    const commands = ids.map(
      (id): DeleteDeadLetter => ({ type: 'DeleteDeadLetter', kind: deadLetterKind, id, at }),
    );
    const outcomes = await dispatchAll(engine, commands);
    return outcomes.filter(({ accepted }) => accepted).length;
  }

  private async retryAll(
    letters: readonly DeadLetter[],
    overrides: RetryOverrides,
  ): Promise<string[]> {
    const retried: string[] = [];
    for (const slice of slicesOf(letters)) {
      const originals: Published[] = [];
      for (const { publishedOffset } of slice) {
        originals.push(await this.published(publishedOffset));
      }
      // Turns of one tick share a commit.
      const turns = slice.map((letter, index) =>
        this.retryOne(letter, originals[index], overrides),
      );
      for (const messageId of await Promise.all(turns)) {
        if (messageId !== null) retried.push(messageId);
      }
    }
    return retried;
  }

  /** The letter goes and its message is published anew, both or neither. */
  private async retryOne(
    { id }: DeadLetter,
    original: Published | undefined,
    overrides: RetryOverrides,
  ): Promise<string | null> {
    if (original === undefined) throw new Error(`dead letter ${id} without its message`);
    const { engine, clock, identifiers } = this.tools;
    const at = clock.now();
    const messageId = `msg_${identifiers.turnSeed(at)}`;
    const retry: RetryDeadLetter = {
      type: 'RetryDeadLetter',
      kind: deadLetterKind,
      id,
      at,
      messageId,
    };
    const publish: PublishMessage = {
      type: 'PublishMessage',
      kind: messageKind,
      id: messageId,
      at,
      message: retriedMessage(original, overrides, at),
      body: noBody,
      sharesBodyWith: null,
    };
    const outcomes = await engine.dispatchTogether([retry, publish]);
    return outcomes.every(({ accepted }) => accepted) ? messageId : null;
  }
}
