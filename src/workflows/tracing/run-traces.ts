/**
 * Records runs as spans: a run is one trace that contains its steps. A step's span lasts from the
 * delivery in which the step was executed until its result was stored; the span of a wait or of an
 * invoked run lasts from its start to its end.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { EventEnvelope } from '../../engine/decider.js';
import { Journal } from '../../engine/journal.js';
import { provided } from '../../engine/provided.js';
import type { EventListener, Interest } from '../../engine/registration.js';
import { lastUsed } from '../../grammar/collections.js';
import { runPlace } from '../../messaging/tracing/message-places.js';
import { MessageTraces } from '../../messaging/tracing/message-traces.js';
import {
  noTracer,
  partSpanId,
  runSpanId,
  type TracePlace,
  type Tracer,
} from '../../messaging/tracing/span.js';
import { SpanReads } from '../../messaging/tracing/span-reads.js';
import { LoggedRuns } from '../history/logged-runs.js';
import { endsRun } from '../run-state/recorded-events.js';
import type { RunConfiguration, RunEvent, StepInfo } from '../run-state/run.events.js';
import { endNames } from '../run-state/run-state-name.policy.js';

/** The most runs, and also waits of runs, that are cached. */
const knownMax = 10_000;

/** The most runs whose start is read at the same time; spans of further runs are dropped. */
const readingMax = 64;

/** A cached run, whether it is sampled or not. */
interface KnownRun {
  readonly startedOffset: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly run: TracePlace;
  readonly parts: TracePlace;
}

type Recorded = EventEnvelope<RunEvent>;

/** Events that begin a step which another event ends. */
const begins: readonly RunEvent['type'][] = ['WaitOpened', 'StepInvoked'];

/** When a step started and was recorded, and where its span belongs. */
interface StepTimes {
  readonly at: number;
  readonly offset: number;
  readonly startedAt: number;
  readonly parts: TracePlace;
}

/**
 * Keeps a bounded number of runs in memory and reads the others from the journal. When too many
 * reads are in progress, a span is dropped and counted.
 */
@Injectable()
export class RunTraces {
  private readonly known = lastUsed<string, KnownRun>(knownMax);
  /** When waits and invoked runs started, Unix milliseconds, by run and step. */
  private readonly begun = lastUsed<string, number>(knownMax);
  /** Journal offsets of plans, by run and planned step. */
  private readonly plans = lastUsed<string, number>(knownMax);
  private readonly tracer: Tracer;
  private readonly reads: SpanReads;
  /** Whether tracing is on, so that runs need to be observed. */
  readonly isOn: boolean;

  constructor(
    @Inject(provided.tracer) tracer: Tracer | null,
    private readonly messages: MessageTraces,
    private readonly journal: Journal,
  ) {
    this.isOn = tracer !== null;
    this.tracer = tracer ?? noTracer;
    this.reads = new SpanReads(this.tracer, readingMax);
  }

  /** The events that `listener` observes. */
  readonly interest: Interest<RunEvent> = {
    types: {
      RunStarted: true,
      StepStored: true,
      WaitOpened: true,
      WaitEnded: true,
      StepInvoked: true,
      InvocationEnded: true,
      RunSucceeded: true,
      RunFailed: true,
      RunCanceled: true,
    },
  };

  /** Turns events into spans. */
  readonly listener: EventListener<RunEvent> = (envelopes) => {
    for (const envelope of envelopes) {
      const { id, at, offset, event } = envelope;
      if (event.type === 'RunStarted') this.know(id, offset, at, event.configuration);
      else if ('step' in event && begins.includes(event.type)) {
        this.begun.set(partKey(id, event.step), at);
      } else if ('step' in event && event.step.target !== null) {
        // A plan has no span. The planned step has one; it is executed in the plan's delivery.
        this.plans.set(planKey(id, event.step.target), offset);
      } else {
        // Look up the delivery's start now: later, another delivery may be in progress.
        const deliveredAt = this.messages.deliveryOf(id, this.takePlan(id, event));
        const run = this.known.get(id);
        if (run !== undefined) this.trace(envelope, run, deliveredAt);
        else this.tellLater(envelope, deliveredAt);
      }
    }
  };

  /**
   * The offset of the plan of a step; null = it had no plan, or the plan is older than this
   * process.
   */
  private takePlan(runId: string, event: RunEvent): number | null {
    if (!('step' in event)) return null;
    const key = planKey(runId, event.step.id);
    const offset = this.plans.get(key) ?? null;
    this.plans.delete(key);
    return offset;
  }

  /** Traces an event of a run that is not cached: it started before this process, or long ago. */
  private tellLater(envelope: Recorded, deliveredAt: number | null): void {
    this.reads.begin(async () => {
      const logged = new LoggedRuns(this.journal, () => undefined);
      const started = await logged.before(envelope.id, envelope.offset);
      if (started === null) return this.tracer.drop();
      const { id, offset, at, event } = started;
      this.trace(envelope, this.know(id, offset, at, event.configuration), deliveredAt);
    });
  }

  private know(runId: string, offset: number, at: number, { headers }: RunConfiguration): KnownRun {
    const places = runPlace({ runId, startedOffset: offset }, headers);
    const run = { startedOffset: offset, startedAt: at, run: places.run, parts: places.parts };
    this.known.set(runId, run);
    return run;
  }

  private trace({ id, at, offset, event }: Recorded, run: KnownRun, deliveredAt: number | null) {
    if (!this.tracer.samples(run.run.traceId, run.run.flags)) return;
    if ('step' in event) {
      const key = partKey(id, event.step);
      const startedAt = this.begun.get(key) ?? deliveredAt ?? at;
      this.begun.delete(key);
      this.addStep(id, event.step, { at, offset, startedAt, parts: run.parts });
    } else if (endsRun(event)) {
      this.known.delete(id);
      this.addRun(id, run, at, endNames[event.type]);
    }
  }

  private addStep(
    runId: string,
    { id, name, type }: StepInfo,
    { at, offset, startedAt, parts }: StepTimes,
  ): void {
    this.tracer.add({
      traceId: parts.traceId,
      parentId: parts.parentId,
      spanId: partSpanId(`step/${runId}`, offset),
      name: `step ${name}`,
      kind: 'internal',
      startedAt: Math.min(startedAt, at),
      endedAt: at,
      attributes: { 'stepwell.run.id': runId, 'stepwell.step.id': id, 'stepwell.step.type': type },
      error: null,
    });
  }

  private addRun(runId: string, known: KnownRun, at: number, outcome: string): void {
    const { run, startedAt, startedOffset } = known;
    this.tracer.add({
      traceId: run.traceId,
      parentId: run.parentId,
      spanId: runSpanId(runId, startedOffset),
      name: 'run',
      kind: 'internal',
      startedAt,
      endedAt: at,
      attributes: { 'stepwell.run.id': runId, 'stepwell.run.outcome': outcome },
      error: outcome === 'failed' ? 'the run has failed' : null,
    });
  }
}

const partKey = (runId: string, { id, name }: StepInfo) => `${runId}/${id}/${name}`;
const planKey = (runId: string, step: number) => `${runId}/${step}`;
