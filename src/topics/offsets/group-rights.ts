/**
 * Which credentials may call on a group: those that may consume every topic of it. A member moves
 * the offsets and the partitions of all the others, whatever it reads itself.
 */
import { Injectable } from '@nestjs/common';
import { Refusal } from '../../grammar/result.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { type Access, permitsAll } from '../../http/identity/grant.js';
import type { RequestHead } from '../../http/request-head.js';
import { GroupViews } from '../groups/group-views.js';
import type { TopicPartition } from '../records/topic-partition.js';
import { CommittedOffsets } from './committed-offsets.js';

/** Asked by every route of groups but those of operators (ADR 17). */
@Injectable()
export class GroupRights {
  constructor(
    private readonly credentials: BasicCredentials,
    private readonly views: GroupViews,
    private readonly offsets: CommittedOffsets,
  ) {}

  /**
   * Why a request may not consume the topics that it names in a group, or not the others of the
   * group: 403 either way, before anything says whether the group, an instance or a topic is there.
   */
  judge(
    request: RequestHead,
    group: string,
    named: Iterable<string>,
    right: 'read' | 'consume' = 'consume',
  ): Refusal | undefined {
    for (const topic of named) {
      const forbidden = this.credentials.judgeRight(request, right, topic);
      if (forbidden !== undefined) return forbidden;
    }
    return this.credentials.judgeAll(request, right, this.topicsOf(group), `group ${group}`);
  }

  /** What a request may do that may consume the topics that it names in a group; else why not. */
  admit(request: RequestHead, group: string, named: Iterable<string>): Access | Refusal {
    return this.judge(request, group, named) ?? this.credentials.grantOf(request);
  }

  /** As `judge`, of partitions, of which many may be of one topic. */
  judgePlaces(
    request: RequestHead,
    group: string,
    places: readonly TopicPartition[],
    right: 'read' | 'consume' = 'consume',
  ): Refusal | undefined {
    return this.judge(request, group, new Set(places.map(({ topic }) => topic)), right);
  }

  /** Whether a listing may show a group. */
  mayName(request: RequestHead, group: string): boolean {
    const grant = this.credentials.grantOf(request);
    return !(grant instanceof Refusal) && permitsAll(grant, 'read', this.topicsOf(group));
  }

  /** What its members subscribe to, and what it has offsets of: members come back to those. */
  private *topicsOf(group: string): Generator<string> {
    yield* this.views.find(group)?.members.topics ?? [];
    yield* this.offsets.topicsOf(group);
  }
}
