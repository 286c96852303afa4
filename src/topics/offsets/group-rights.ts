/**
 * Checks which credentials may use a group: those that may consume every topic of it. The reason is
 * that a member affects the offsets and partitions of all other members, whatever it reads itself.
 */
import { Injectable } from '@nestjs/common';
import { Refusal } from '../../grammar/result.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { type Access, permitsAll } from '../../http/identity/grant.js';
import type { RequestHead } from '../../http/request-head.js';
import { GroupViews } from '../groups/group-views.js';
import type { TopicPartition } from '../records/topic-partition.js';
import { CommittedOffsets } from './committed-offsets.js';

/** Used by every route of groups except those of operators (ADR 17). */
@Injectable()
export class GroupRights {
  constructor(
    private readonly credentials: BasicCredentials,
    private readonly views: GroupViews,
    private readonly offsets: CommittedOffsets,
  ) {}

  /**
   * Why a request may not consume the topics that it names in a group, or the other topics of the
   * group. It is 403 in both cases, before any answer that reveals whether the group, an instance
   * or a topic exists.
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

  /**
   * The access of a request that may consume the topics that it names in a group; otherwise why it
   * may not.
   */
  admit(request: RequestHead, group: string, named: Iterable<string>): Access | Refusal {
    return this.judge(request, group, named) ?? this.credentials.grantOf(request);
  }

  /** Like `judge`, for partitions, many of which may belong to the same topic. */
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

  /**
   * The topics that the group's members subscribe to, and those with committed offsets, to which
   * members may return.
   */
  private *topicsOf(group: string): Generator<string> {
    yield* this.views.find(group)?.members.topics ?? [];
    yield* this.offsets.topicsOf(group);
  }
}
