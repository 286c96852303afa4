/**
 * Carries out a produce: validates every record before any is written, then appends topic by topic.
 * Outcomes are in the order of the request.
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
  /** In the order of the request, with a refusal in place of each invalid record. */
  readonly records: readonly (ProduceRecord | Refusal)[];
  /** If set, the records of the request are stored once, however often it is sent. */
  readonly idempotencyKey: string | null;
  /** Whether valid records are stored even if others are refused. */
  readonly isPartial: boolean;
  /** Who produces; an automatically created topic is created in this name. */
  readonly by: Principal;
  /** Why the caller may not write to a topic; undefined = it may. */
  judge(topic: string): Refusal | undefined;
}

/** The outcome of one record. */
export type ProduceOutcome = ProduceResult | Refusal;

/** The records of one topic, and their indexes in the request. */
interface TopicRecords {
  readonly indexes: number[];
  readonly records: ProduceRecord[];
}

/**
 * One instance for the server. Missing topics are created first, if topics are created
 * automatically.
 */
@Injectable()
export class Producer {
  /**
   * Requests with the same key run one after the other, so that the second finds what the first
   * stored.
   */
  private readonly lastOfKey = new Map<string, Promise<unknown>>();

  constructor(
    private readonly topicLogs: TopicLogs,
    private readonly topics: TopicsService,
    private readonly appender: RecordAppender,
  ) {}

  /**
   * Resolves with one outcome for each record, once everything stored is durable. Unless the
   * submission is partial, one refused record refuses all of it, and nothing is stored. If the disk
   * is full or a topic is deleted during the appends, other records may be stored, and the refusal
   * says so without naming them.
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
   * Refuses records for partitions that a topic still to be created would not have. Returns true if
   * no record is left for the topic, so that it is not created.
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

  /**
   * Appends a plan. If the topic was deleted after the plan was made, the client is asked to try
   * again.
   */
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

  /**
   * Plans the append of one topic and refuses records for missing partitions. An idempotency key
   * always covers all records of the topic, including the refused ones.
   */
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

/** Collects the outcome of each record of a submission. */
class Outcomes {
  readonly all: ProduceOutcome[] = [];
  private firstRefused = Number.POSITIVE_INFINITY;

  constructor(private readonly submission: ProduceSubmission) {
    submission.records.forEach((record, index) => {
      if (record instanceof Refusal) this.refuse([index], record);
    });
  }

  /** Why the whole submission is refused; null while it is not. */
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

  /** Like `refusal`, after the appends, when some records may be stored. */
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
