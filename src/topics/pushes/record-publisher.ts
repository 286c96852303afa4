/**
 * Reads the next records of a partition, and publishes them in the same turn that counts them as
 * pushed.
 */
import { Inject, Injectable } from '@nestjs/common';
import { Slots } from '../../../storage/disk/in-parallel.js';
import { OffsetOutOfRange, TooLarge } from '../../../storage/faults/storage-errors.js';
import type { LogRecord } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import { type Identifiers, newNames } from '../../engine/identifiers.js';
import { provided } from '../../engine/provided.js';
import type { MessageTargets } from '../../messaging/url-groups/message-targets.js';
import type { TopicSettings } from '../settings.js';
import type { SubscriptionDefinition } from '../subscriptions/subscription.events.js';
import type { PushRecords } from '../subscriptions/subscription-partition.commands.js';
import { SubscriptionPartitions } from '../subscriptions/subscription-partition.entity.js';
import { subscriptionPartitionKind } from '../subscriptions/subscription-partition.events.js';
import type { Push } from './push.js';
import { batchContent, recordContent, recordMessages } from './record-messages.js';

/** What a push publishes, and where to. */
export interface PushSource {
  readonly definition: SubscriptionDefinition;
  readonly targets: Extract<MessageTargets, { ok: true }>;
  readonly log: PartitionLog;
}

/**
 * The most concurrent reads and publishes: enough to share commits, but each may hold a large
 * batch.
 */
const atOnceMax = 8;

/**
 * One instance for the server. The number of concurrent publishes is bounded, because each holds
 * its records in memory.
 */
@Injectable()
export class RecordPublisher {
  private readonly slots = new Slots(atOnceMax);

  constructor(
    private readonly partitions: SubscriptionPartitions,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
    /** `maxBodyBytes` bounds the JSON array of many records; a single record may be larger. */
    @Inject(provided.config) private readonly config: Pick<TopicSettings, 'maxBodyBytes'>,
  ) {}

  /**
   * Publishes when a slot is free; returns the offset to continue at, or null if it has published.
   */
  publish(push: Push, from: number, source: PushSource): Promise<number | null> {
    return this.slots.run(() => this.publishNow(push, from, source));
  }

  private async publishNow(push: Push, from: number, source: PushSource): Promise<number | null> {
    if (!push.isWanted) return null;
    const { definition, log } = source;
    const { startOffset } = log;
    const start = Math.max(from, startOffset);
    const { maxBodyBytes: maxBytes } = this.config;
    const read = log.read(start, { maxRecords: definition.maxRecords, maxBytes });
    const batches = await read.catch((error: unknown) => {
      if (error instanceof OffsetOutOfRange) return null;
      throw error;
    });
    if (batches === null) return from; // trimmed a moment ago
    const [first, ...rest] = batches.flatMap((batch) => batch.records());
    if (first === undefined) return batches.at(-1)?.nextOffset ?? start;
    const gone = Math.max(0, startOffset - push.effect.position);
    const command = this.command(push, start, gone, [first, ...rest], source);
    try {
      await this.partitions.ask(command);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      // No message can hold the record: it is skipped, so that the following records are still
      // pushed.
      const { records, skipped } = command;
      const passed = { records: 0, skipped: skipped + records, messages: [] };
      await this.partitions.ask({ ...command, ...passed });
    }
    return null;
  }

  private command(
    { id, place: { partition }, effect: { position } }: Push,
    from: number,
    skipped: number,
    read: readonly [LogRecord, ...LogRecord[]],
    { definition, targets }: PushSource,
  ): PushRecords {
    const { topic, maxRecords } = definition;
    const place = { topic, partition };
    const content =
      maxRecords === 1
        ? recordContent(read[0], place, definition)
        : batchContent(read, place, definition, this.config.maxBodyBytes);
    const at = this.clock.now();
    const names = newNames(this.identifiers, at);
    const { records } = content;
    return {
      type: 'PushRecords',
      kind: subscriptionPartitionKind,
      id,
      at,
      position,
      from,
      until: (read[records - 1] ?? read[0]).offset + 1,
      records,
      skipped,
      messages: recordMessages(content, definition, targets, at, names),
    };
  }
}
