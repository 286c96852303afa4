/**
 * Answers requests with `asOf`: the server as it was at a moment is rebuilt beside this one, one
 * moment at a time, and kept while requests for it come.
 */
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Slots } from '../../../storage/disk/in-parallel.js';
import type { Clock } from '../../engine/clock.js';
import type { JournalSweeps } from '../../engine/history/journal-sweeps.js';
import type { PastMoment } from '../../engine/history/past-moment.js';
import type { Journal } from '../../engine/journal.js';
import { Refusal } from '../../grammar/result.js';
import { type JournalMoment, offsetBehind, sweptBefore } from '../journal/journal-moment.js';
import {
  type OpenPast,
  type PastAnswer,
  PastDamaged,
  type PastQuestion,
  type PastServer,
  PastTooLarge,
} from './past-server.js';

/** How many queries may wait; each may have to replay the journal. */
const waitingMax = 16;

/** After this long without a query, the rebuilt server is dropped. */
const idleMs = 60_000;

/** The total size of cached answers in bytes; the past does not change. */
const keptBytesMax = 32 * 1024 * 1024;
/** What an answer takes besides its body. */
const answerBytes = 512;

const busy = new Refusal(
  'unavailable',
  `${waitingMax} questions about what was wait already: ask again later`,
  { 'retry-after': '10' },
);

const failed = new Refusal(
  'unavailable',
  'the past state could not be read, see the log of the server: try again later',
  { 'retry-after': '10' },
);

const stopped = new Refusal('unavailable', 'the server stops');

/** A query, and the moment it is about. */
export interface AsOfQuestion extends Omit<PastQuestion, 'moment'> {
  readonly asOf: JournalMoment;
  /** Whether its client is still connected. */
  isWanted(): boolean;
}

/**
 * One instance per server. Returns refusals as values: 422 for a moment before the edge of a sweep,
 * and if more memory is needed than allowed; 500 if the disk is damaged; 503 if too many queries
 * wait. Answers are cached up to a number of bytes, as the past does not change.
 */
export class PastViews {
  private readonly answers = new LRUCache<string, PastAnswer>({
    maxSize: keptBytesMax,
    sizeCalculation: ({ body }, key) => body.length + key.length + answerBytes,
  });
  private current: { readonly until: number; readonly server: PastServer } | null = null;
  private readonly slots = new Slots(1);
  private waiting = 0;
  private isStopped = false;
  private cancelEnd: () => void = () => undefined;

  constructor(
    private readonly open: OpenPast,
    private readonly sweeps: Pick<JournalSweeps, 'edge'>,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** The answer that a `GET` would have got at that moment. */
  async answer({ asOf, role, target, isWanted }: AsOfQuestion): Promise<PastAnswer | Refusal> {
    const moment = await this.momentOf(asOf);
    if (this.isSwept(moment)) return sweptBefore(moment.until);
    const { until, at } = moment;
    const key = JSON.stringify([until, at, role, target]);
    const known = this.answers.get(key);
    if (known !== undefined) return known;
    if (this.waiting >= waitingMax) return busy;
    return this.inLine(async () => {
      if (this.isStopped || !isWanted()) return stopped;
      const found = this.answers.get(key) ?? (await this.find({ moment, role, target }));
      // A sweep that has begun meanwhile may have removed events that were still to be read.
      if (this.isSwept(moment)) {
        await this.end();
        return sweptBefore(moment.until);
      }
      if (!(found instanceof Refusal)) this.answers.set(key, found);
      return found;
    });
  }

  /** Ends the rebuilt server; there are no more answers. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancelEnd();
    await this.current?.server.end();
  }

  /** A sweep that has not ended, and may never end, counts too, as it may have removed events. */
  private isSwept({ until }: PastMoment): boolean {
    return until < this.sweeps.edge;
  }

  /** Runs one query at a time. */
  private async inLine<Value>(work: () => Promise<Value>): Promise<Value> {
    this.waiting += 1;
    this.cancelEnd();
    try {
      return await this.slots.run(work);
    } finally {
      this.waiting -= 1;
      this.endLater();
    }
  }

  /** If a sweep removes a file that is about to be read, the second try finds its replacement. */
  private async find(question: PastQuestion): Promise<PastAnswer | Refusal> {
    for (let tries = 2; ; tries -= 1) {
      try {
        return await (await this.serverAt(question.moment)).ask(question);
      } catch (error) {
        await this.end();
        if (error instanceof PastTooLarge) return new Refusal('unprocessable', error.message);
        if (this.isStopped) return stopped;
        this.log.warn({ err: error, ...question.moment }, 'a past state could not be shown');
        if (tries > 1) continue;
        return error instanceof PastDamaged ? new Refusal('failed', error.message) : failed;
      }
    }
  }

  private async serverAt(moment: PastMoment): Promise<PastServer> {
    const { until } = moment;
    const { current } = this;
    const isReusable =
      current !== null && current.until <= until && until <= current.server.reaches;
    if (!isReusable) await this.end();
    const server = isReusable ? current.server : await this.open(moment);
    this.current = { until, server };
    if (this.isStopped) await server.end();
    return server;
  }

  private endLater(): void {
    if (this.waiting > 0 || this.isStopped) return;
    this.cancelEnd = this.clock.after(idleMs, () => {
      if (this.waiting === 0) void this.inLine(() => this.end());
    });
  }

  private async end(): Promise<void> {
    const { current } = this;
    this.current = null;
    await current?.server.end().catch(() => undefined);
  }

  /**
   * The moment of a query. An offset has no time, so the clock then shows that of the last event
   * before it.
   */
  private async momentOf(asOf: JournalMoment): Promise<PastMoment> {
    const { journal, clock } = this;
    const until = await offsetBehind(journal, asOf);
    if ('time' in asOf) return { until, at: Math.min(asOf.time, clock.now()) };
    const range = { from: journal.startOffset, until, order: 'newest' } as const;
    for await (const { at } of journal.query({ terms: [], ...range })) return { until, at };
    return { until, at: 0 };
  }
}
