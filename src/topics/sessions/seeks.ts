/** Seeks: readers choose where to continue, in partitions that they own or may own later. */
import { Inject, Injectable } from '@nestjs/common';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import type { ConsumerPlace } from '../groups/consumer.events.js';
import { GroupViews } from '../groups/group-views.js';
import { CommittedOffsets } from '../offsets/committed-offsets.js';
import { offsetOfTarget } from '../offsets/offset-target.js';
import type { TopicPosition } from '../records/topic-partition.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { ConsumersService } from './consumers.service.js';
import type { Seek } from './seeks.request.js';

/** The target of a seek, and its log. */
interface Sought {
  readonly position: TopicPosition;
  readonly log: PartitionLog;
}

/** Returns refusals as values: 404 if there is no such instance or partition. */
@Injectable()
export class Seeks {
  constructor(
    private readonly consumers: ConsumersService,
    private readonly views: GroupViews,
    private readonly offsets: CommittedOffsets,
    private readonly topicLogs: TopicLogs,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /**
   * Moves the positions of an instance, and returns the new ones. A partition that the instance
   * does not own yet starts there once it is acquired: durably if no other instance owns it now,
   * otherwise only for as long as this instance lives.
   */
  async seek(
    place: ConsumerPlace,
    seeks: readonly Seek[],
  ): Promise<readonly TopicPosition[] | Refusal> {
    const known = this.consumers.find(place);
    if (known instanceof Refusal) return known;
    const sought = await this.soughtBy(seeks);
    if (sought instanceof Refusal) return sought;
    const session = this.consumers.find(place);
    if (session instanceof Refusal) return session;
    const owners = this.views.find(place.group)?.owners;
    const own: TopicPosition[] = [];
    for (const { position, log } of sought) {
      const { topic, partition, offset } = position;
      const owner = owners?.get(topic)?.[partition] ?? place.instance;
      if (owner === place.instance) own.push(position);
      else session.soughtOffsets.set(log, offset);
    }
    this.offsets.keepStart(place.group, own, this.clock.now());
    for (const position of own) session.positions.seek(position);
    session.callBegan();
    session.callEnded();
    session.wake();
    await this.offsets.durable();
    return sought.map(({ position }) => position);
  }

  private async soughtBy(seeks: readonly Seek[]): Promise<readonly Sought[] | Refusal> {
    const found: Sought[] = [];
    for (const { topic, partition, target } of seeks) {
      const log = await this.topicLogs.partition({ topic, partition });
      if (log instanceof Refusal) return log;
      const offset = await offsetOfTarget(log, target);
      const { startOffset, highWatermark } = log;
      if (offset < startOffset || offset > highWatermark) {
        const range = `${startOffset} to ${highWatermark}`;
        return new Refusal('out_of_range', `${topic}/${partition} can be read from ${range}`);
      }
      found.push({ position: { topic, partition, offset }, log });
    }
    return found;
  }
}
