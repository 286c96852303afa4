/**
 * Carries out a produce: judges every record before any is written, then appends topic by topic;
 * outcomes are in the order of the request.
 */
import { Injectable } from '@nestjs/common';
import { DiskFull, LogClosed } from '../../../storage/faults/storage-errors.js';
import type { Principal } from '../../engine/principal/principal.js';
import { Refusal } from '../../grammar/result.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { TopicsService } from '../topics/topics.service.js';
import type { ProduceRecord } from './produce.request.js';
import {
  diskFull,
  noPartition,
  type ProduceResult,
  RecordAppender,
  type TopicPlan,
} from './record-appender.js';

/** What one request produces. */
export interface ProduceSubmission {
  /** In the order of the request; a refusal stands where there is no sound record. */
  readonly records: readonly (ProduceRecord | Refusal)[];
  /** The records of a request with a key are stored once, however often it is sent. */
  readonly idempotencyKey: string | null;
  /** Whether sound records are stored though others are refused. */
  readonly isPartial: boolean;
  /** Who produces: a topic may be created in that name. */
  readonly by: Principal;
  /** Why the caller may not write to a topic. */
  judge(topic: string): Refusal | undefined;
}

/** What became of one record. */
export type ProduceOutcome = ProduceResult | Refusal;

/** The records of one topic, and where they stand in the request. */
interface TopicRecords {
  readonly indexes: number[];
  readonly records: ProduceRecord[];
}

/** One for the server. Topics that do not exist are made first, where they come by themselves. */
@Injectable()
export class Producer {
  /** Requests of one key go one after the other: the second finds what the first has stored. */
  private readonly lastOfKey = new Map<string, Promise<unknown>>();

  constructor(
    private readonly topicLogs: TopicLogs,
    private readonly topics: TopicsService,
    private readonly appender: RecordAppender,
  ) {}

  /**
   * One outcome for each record, once all that was stored is durable. Unless the submission is
   * partial, a refused record refuses all of it, and nothing is stored. A full disk or a deleted
   * topic may be met during the appends: other records may be stored then, and the refusal says so
   * without naming them.
   */
  produce(submission: ProduceSubmission): Promise<readonly ProduceOutcome[] | Refusal> {
    const { idempotencyKey: key } = submission;
    return key === null
      ? this.carryOut(submission)
      : this.inTurn(key, () => this.carryOut(submission));
  }

  private async carryOut(
    submission: ProduceSubmission,
  ): Promise<readonly ProduceOutcome[] | Refusal> {
    const outcomes = new Outcomes(submission);
    const byTopic = recordsByTopic(submission.records);
    for (const [topic, { indexes }] of byTopic) {
      const refusal = submission.judge(topic);
      if (refusal === undefined) continue;
      outcomes.refuse(indexes, refusal);
      byTopic.delete(topic);
    }
    for (const [topic, own] of byTopic) {
      if (this.refusesAll(topic, own, outcomes)) byTopic.delete(topic);
    }
    if (outcomes.refusal !== null) return outcomes.refusal;
    if (byTopic.size > 1 && !submission.isPartial) {
      const refusal = await this.topics.ensure(byTopic.keys(), submission.by);
      if (refusal !== null) return refusal;
    }
    const plans: { readonly plan: TopicPlan; readonly indexes: readonly number[] }[] = [];
    for (const [topic, own] of byTopic) {
      const plan = await this.plan(topic, own, outcomes, submission);
      if (plan instanceof Refusal) outcomes.refuse(own.indexes, plan);
      else plans.push({ plan, indexes: own.indexes });
    }
    if (outcomes.refusal !== null) return outcomes.refusal;
    const appends = plans.map(async ({ plan, indexes }) => {
      const results = await this.append(plan);
      if (results instanceof Refusal) outcomes.refuse(indexes, results);
      else outcomes.settle(indexes, results);
    });
    await Promise.all(appends);
    return outcomes.lateRefusal ?? outcomes.all;
  }

  /**
   * Refuses records for partitions that a topic which is yet to be made would not have. True: none
   * is left for it, so that it is not made.
   */
  private refusesAll(
    topic: string,
    { records, indexes }: TopicRecords,
    outcomes: Outcomes,
  ): boolean {
    const partitions = this.topics.partitionsToCome([topic]);
    if (partitions === 0) return false;
    let refused = 0;
    for (const [place, { partition }] of records.entries()) {
      if (partition === null || partition < partitions) continue;
      outcomes.refuse([indexes[place] ?? 0], noPartition(topic, partition));
      refused += 1;
    }
    return refused === records.length;
  }

  /** A topic may be deleted between the plan and the append: the client is asked to try again. */
  private async append(plan: TopicPlan): Promise<readonly ProduceOutcome[] | Refusal> {
    try {
      return await this.appender.append(plan);
    } catch (error) {
      if (error instanceof DiskFull) return diskFull;
      if (!(error instanceof LogClosed)) throw error;
      const message = `topic ${plan.topic} takes no records at the moment; try again`;
      return new Refusal('unavailable', message);
    }
  }

  /** Records whose partition is not there are refused; what is known of a key is of all records. */
  private async plan(
    topic: string,
    { records, indexes }: TopicRecords,
    outcomes: Outcomes,
    { idempotencyKey: key, by }: ProduceSubmission,
  ): Promise<TopicPlan | Refusal> {
    const logs = (await this.topicLogs.logs(topic)) ?? (await this.topics.create(topic, by));
    if (logs instanceof Refusal) return logs;
    const plan =
      key === null
        ? this.appender.plan(topic, logs, records)
        : await this.appender.planOnce(topic, logs, records, key);
    if (plan instanceof Refusal) return plan;
    for (const [place, refusal] of plan.outside) outcomes.refuse([indexes[place] ?? 0], refusal);
    return plan;
  }

  private async inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.lastOfKey.get(key) ?? Promise.resolve();
    const done = before.then(work, work);
    this.lastOfKey.set(key, done);
    try {
      return await done;
    } finally {
      if (this.lastOfKey.get(key) === done) this.lastOfKey.delete(key);
    }
  }
}

/** What becomes of each record of a submission. */
class Outcomes {
  readonly all: ProduceOutcome[] = [];
  private firstRefused = Number.POSITIVE_INFINITY;

  constructor(private readonly submission: ProduceSubmission) {
    submission.records.forEach((record, index) => {
      if (record instanceof Refusal) this.refuse([index], record);
    });
  }

  /** Why all of it is refused; null while it is not. */
  get refusal(): Refusal | null {
    const first = this.all[this.firstRefused];
    const isRefused = !this.submission.isPartial && first instanceof Refusal;
    return isRefused ? first : null;
  }

  refuse(indexes: readonly number[], refusal: Refusal): void {
    for (const index of indexes) {
      this.all[index] = refusal;
      this.firstRefused = Math.min(this.firstRefused, index);
    }
  }

  settle(indexes: readonly number[], results: readonly ProduceOutcome[]): void {
    for (const [place, outcome] of results.entries()) {
      const index = indexes[place] ?? 0;
      if (outcome instanceof Refusal) this.refuse([index], outcome);
      else this.all[index] = outcome;
    }
  }

  /** The refusal, where some records may be stored already. */
  get lateRefusal(): Refusal | null {
    const { refusal } = this;
    const hasStored = this.all.some((outcome) => !(outcome instanceof Refusal));
    if (refusal === null || !hasStored) return refusal;
    return refusal.saying(`${refusal.message}; other records of the request are stored`);
  }
}

function recordsByTopic(records: readonly (ProduceRecord | Refusal)[]): Map<string, TopicRecords> {
  const byTopic = new Map<string, TopicRecords>();
  for (const [index, record] of records.entries()) {
    if (record instanceof Refusal) continue;
    const own = byTopic.get(record.topic);
    if (own === undefined) byTopic.set(record.topic, { indexes: [index], records: [record] });
    else {
      own.indexes.push(index);
      own.records.push(record);
    }
  }
  return byTopic;
}
