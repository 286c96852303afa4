/** Manages the streams of runs: which are open, where each begins, and what its client may see. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Journal } from '../../engine/journal.js';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import {
  EventStream,
  type EventStreamReader,
  foreignEvent,
} from '../../http/bytes/event-stream.js';
import { StreamPlaces } from '../../http/bytes/stream-places.js';
import { LoggedRuns } from '../history/logged-runs.js';
import { RunLog } from '../logs/run-log.js';
import type { RunLogQuery } from '../logs/run-logs.request.js';
import { Runs } from '../runs/run.entity.js';
import { publicRow } from './public-row.js';
import { RunFollowers } from './run-followers.js';
import { RunStream } from './run-stream.js';

/** The most streams at once, because each of them reads from the journal. */
const streamsMax = 1000;

const busy = new Refusal(
  'unavailable',
  `${streamsMax} clients follow runs: no more can at the same time`,
  { 'retry-after': '10' },
);

/** A client's request for a stream. */
export interface RunStreamQuestion {
  readonly runId: string;
  /** The offset of the last event that the client has; null = none. */
  readonly last: number | null;
  readonly rows: RunLogQuery;
  /** Whether the client has a public token, so that it sees no headers and no addresses. */
  readonly isPublic: boolean;
}

/** Serves a reader until its stream ends; null = nothing is left to send. */
export type ServeStream = ((reader: EventStreamReader) => Promise<void>) | null;

/**
 * One instance for the server. The number of open streams is bounded; further requests get 503.
 * `follow` returns null if the run has ended and the client has all of its events.
 */
@Injectable()
export class RunStreams {
  private readonly streams = new StreamPlaces<RunStream>(streamsMax);

  constructor(
    private readonly journal: Journal,
    private readonly runs: Runs,
    private readonly log: RunLog,
    private readonly followers: RunFollowers,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /**
   * Refused if the journal knows no such run, or has not reached `last`, or if too many streams are
   * open.
   */
  async follow({ runId, last, rows, isPublic }: RunStreamQuestion): Promise<ServeStream | Refusal> {
    if (!this.streams.hasPlace) return busy;
    const begun = await this.begun(runId);
    if (begun === null) return new Refusal('not_found', `workflow run ${runId} not found`);
    if (last !== null && last >= this.journal.highWatermark) return foreignEvent;
    const from = last === null ? begun.from : Math.max(last + 1, begun.from);
    if (begun.end !== null && from > begun.end) return null;
    const made = this.log.follower(rows);
    const rowsOf: typeof made = isPublic
      ? async (envelope) => (await made(envelope)).map(publicRow)
      : made;
    if (!this.streams.hasPlace) return busy;
    const serve = this.streams.keepPlace();
    return (reader) => {
      const events = new EventStream(reader, this.clock);
      const stream = new RunStream(runId, this.journal, events, rowsOf);
      this.followers.add(stream, this.runs.pending.of(runId));
      const run = () => stream.run(from).finally(() => this.followers.remove(stream));
      return serve(stream, run);
    };
  }

  /** Number of open streams. */
  get size(): number {
    return this.streams.size;
  }

  /** Ends every stream and admits no more. */
  stop(): void {
    this.streams.stop();
  }

  /** Where the latest run of this id started and, if it has ended, where it ended. */
  private async begun(runId: string): Promise<{ from: number; end: number | null } | null> {
    const active = await this.runs.shown(() => this.runs.actors.firstOffsetOf(runId));
    if (active !== undefined) return { from: active, end: null };
    const { highWatermark: until } = this.journal;
    const logged = new LoggedRuns(this.journal, () => undefined);
    const started = await logged.before(runId, until);
    if (started === null) return null;
    const end = await logged.endOf(started, until);
    return { from: started.offset, end: end?.offset ?? null };
  }
}
