/** Finds, shows, deletes and retries dead letters. */
import { Inject, Injectable } from '@nestjs/common';
import { dispatchAll, slicesOf } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { type Identifiers, newNames } from '../../engine/identifiers.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import type { DamageNotes } from '../../engine/reading/damage-notes.js';
import { MessageContents } from '../delivery/message-contents.js';
import { markedLetterId } from '../messages/dead-letter-id.js';
import type { PublishMessage } from '../messages/message.commands.js';
import { messageKind, type Published } from '../messages/message.events.js';
import { StoredMessages } from '../messages/stored-messages.js';
import type { DeleteDeadLetter, RetryDeadLetter } from './dead-letter.commands.js';
import { DeadLetters } from './dead-letter.entity.js';
import { deadLetterKind } from './dead-letter.events.js';
import { DeadLetterMatching } from './dead-letter-matching.js';
import { type DeadLetterObject, deadLetterObject } from './dead-letter-object.js';
import type { DeadLetter } from './dead-letters.projection.js';
import type { LetterFilters, ListFilters } from './dead-letters.request.js';
import { listed } from './letter-listing.js';
import { type DeletedLetters, LetterSearch } from './letter-search.js';
import { type RetryOverrides, retriedMessage } from './retry.request.js';

const noBody = Buffer.alloc(0);

/**
 * For the controller and for jobs. Changes are durable when a promise resolves; `deleting` and
 * `retrying` only make commands.
 */
@Injectable()
export class DeadLettersService {
  private readonly search: LetterSearch<DeadLetter, LetterFilters>;

  constructor(
    private readonly engine: Engine,
    { letters }: DeadLetters,
    matching: DeadLetterMatching,
    private readonly stored: StoredMessages,
    private readonly contents: MessageContents,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {
    this.search = new LetterSearch(engine, letters, clock, (letter, filters: LetterFilters) =>
      matching.matches(letter, filters),
    );
  }

  /** The letter with this id, if it exists. */
  find(id: string): Promise<DeadLetter | undefined> {
    return this.search.find(id);
  }

  /** The letter as it may be shown. */
  async shown(letter: DeadLetter): Promise<DeadLetterObject> {
    const published = await this.stored.published(letter.publishedOffset);
    const failed = await this.stored.failed(letter.offset);
    return deadLetterObject(letter, published, await this.contents.readShown(published), failed);
  }

  /** One page of the matching letters, part by part. */
  list(filters: ListFilters): ReturnType<typeof listed> {
    const find = (damage: DamageNotes) => this.search.listed(filters, filters.order, damage);
    return listed(find, (letter) => this.shown(letter));
  }

  /** Deletes a letter; returns whether it existed. */
  async delete(id: string, by: Principal | null): Promise<boolean> {
    return (await this.deleteAll([markedLetterId(id)], by)) === 1;
  }

  /** Deletes the named letters, or up to `count` of those that match, oldest first. */
  deleteMatching(filters: LetterFilters, by: Principal | null): Promise<DeletedLetters> {
    return this.search.deleteBulk(filters, (ids) => this.deleteAll(ids, by));
  }

  /** Retries a letter; returns the id of the new message, or null if there is no such letter. */
  async retry(id: string, overrides: RetryOverrides, by: Principal | null): Promise<string | null> {
    const [messageId] = await this.retryAll(this.search.named([id]), overrides, by);
    return messageId ?? null;
  }

  /** Like `deleteMatching`, for retries: returns the new messages in the order of letters. */
  async retryMatching(
    filters: LetterFilters,
    overrides: RetryOverrides,
    by: Principal | null,
  ): Promise<{ responses: { messageId: string }[]; cursor?: string }> {
    const { letters, cursor } = await this.search.bulk(filters);
    const retried = await this.retryAll(letters, overrides, by);
    const responses = retried.map((messageId) => ({ messageId }));
    return { responses, ...(cursor !== null && { cursor }) };
  }

  /** The command that deletes a letter. */
  deleting(id: string): DeleteDeadLetter {
    return { type: 'DeleteDeadLetter', kind: deadLetterKind, id, at: this.clock.now() };
  }

  /** The commands that remove a letter and publish its message anew: both or neither happen. */
  retrying(
    id: string,
    original: Published,
    overrides: RetryOverrides,
  ): readonly [RetryDeadLetter, PublishMessage] {
    const at = this.clock.now();
    const messageId = newNames(this.identifiers, at).next('msg');
    return [
      { type: 'RetryDeadLetter', kind: deadLetterKind, id, at, messageId },
      {
        type: 'PublishMessage',
        kind: messageKind,
        id: messageId,
        at,
        message: retriedMessage(original, overrides, at),
        body: noBody,
        sharesBodyWith: null,
      },
    ];
  }

  private async deleteAll(ids: readonly string[], by: Principal | null): Promise<number> {
    const commands = ids.map((id) => this.deleting(id));
    const outcomes = await dispatchAll(this.engine, commands, by);
    return outcomes.filter(({ ok: accepted }) => accepted).length;
  }

  private async retryAll(
    letters: readonly DeadLetter[],
    overrides: RetryOverrides,
    by: Principal | null,
  ): Promise<string[]> {
    const retried: string[] = [];
    for (const slice of slicesOf(letters)) {
      const originals: [string, Published][] = [];
      for (const { id, publishedOffset } of slice) {
        originals.push([id, await this.stored.published(publishedOffset)]);
      }
      // Turns of one tick share a commit.
      const turns = originals.map(([id, original]) => this.retryOne(id, original, overrides, by));
      for (const messageId of await Promise.all(turns)) {
        if (messageId !== null) retried.push(messageId);
      }
    }
    return retried;
  }

  /** Removes the letter and publishes its message anew; both or neither. */
  private async retryOne(
    id: string,
    original: Published,
    overrides: RetryOverrides,
    by: Principal | null,
  ): Promise<string | null> {
    const [retry, publish] = this.retrying(id, original, overrides);
    const outcomes = await this.engine.dispatchTogether([retry, publish], by);
    return outcomes.every(({ ok: accepted }) => accepted) ? publish.id : null;
  }
}
