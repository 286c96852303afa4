/**
 * Runs as spans: a run as one trace, with its steps. A step lasts from the delivery that it was
 * done in until its result was stored; a wait, and an invoked run, from their begin to their end.
 */
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EventEnvelope } from '../../engine/decider.js';
import { Journal } from '../../engine/journal.js';
import { provided } from '../../engine/provided.js';
import type { EventListener, Interest } from '../../engine/registration.js';
import { runPlace } from '../../messaging/tracing/message-places.js';
import { MessageTraces } from '../../messaging/tracing/message-traces.js';
import {
  partSpanId,
  runSpanId,
  type TracePlace,
  type Tracer,
} from '../../messaging/tracing/span.js';
import { LoggedRuns } from '../history/logged-runs.js';
import { endsRun } from '../run-state/recorded-events.js';
import type { RunConfiguration, RunEvent, StepInfo } from '../run-state/run.events.js';
import { endNames } from '../run-state/run-state-name.policy.js';

/** Runs, and waits of runs, that are cached. */
const knownMax = 10_000;

/** Runs whose begin is being read: what is beyond them is dropped. */
const readingMax = 64;

/** A run that is traced, or is not wanted. */
interface KnownRun {
  readonly startedOffset: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly run: TracePlace;
  readonly parts: TracePlace;
}

type Recorded = EventEnvelope<RunEvent>;

/** Events that begin what another one ends. */
const begins: readonly RunEvent['type'][] = ['WaitOpened', 'StepInvoked'];

/** When a step began and was recorded, and where its span belongs. */
interface StepTimes {
  readonly at: number;
  readonly offset: number;
  readonly startedAt: number;
  readonly parts: TracePlace;
}

/**
 * What it has in memory of runs is bounded; the journal tells the rest, and beyond what is read at
 * once a span is dropped and counted.
 */
@Injectable()
export class RunTraces {
  private readonly known: LRUCache<string, KnownRun> | null;
  /** When waits and invoked runs began, Unix milliseconds, by run and step. */
  private readonly begun: LRUCache<string, number> | null;
  /** Journal offsets of plans, by run and the step that each plans. */
  private readonly plans: LRUCache<string, number> | null;
  private reading = 0;

  constructor(
    @Inject(provided.tracer) private readonly tracer: Tracer | null,
    private readonly messages: MessageTraces,
    private readonly journal: Journal,
  ) {
    this.known = tracer === null ? null : new LRUCache({ max: knownMax });
    this.begun = tracer === null ? null : new LRUCache({ max: knownMax });
    this.plans = tracer === null ? null : new LRUCache({ max: knownMax });
  }

  /** Whether there is anything to be observed. */
  get isOn(): boolean {
    return this.tracer !== null;
  }

  /** What `listener` observes. */
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

  /** Makes spans of what has happened. */
  readonly listener: EventListener<RunEvent> = (envelopes) => {
    for (const envelope of envelopes) {
      const { id, at, offset, event } = envelope;
      if (event.type === 'RunStarted') this.know(id, offset, at, event.configuration);
      else if ('step' in event && begins.includes(event.type)) {
        this.begun?.set(partKey(id, event.step), at);
      } else if ('step' in event && event.step.target !== null) {
        // A plan is no work: the step that it plans is, in the delivery published with the plan.
        this.plans?.set(planKey(id, event.step.target), offset);
      } else {
        // When the delivery began is known now; a later event may find another one under way.
        const deliveredAt = this.messages.deliveryOf(id, this.takePlan(id, event));
        const run = this.known?.get(id);
        if (run !== undefined) this.trace(envelope, run, deliveredAt);
        else this.tellLater(envelope, deliveredAt);
      }
    }
  };

  /** The offset of the plan of a step; null = it was planned by none, or before this process. */
  private takePlan(runId: string, event: RunEvent): number | null {
    if (!('step' in event)) return null;
    const key = planKey(runId, event.step.id);
    const offset = this.plans?.get(key) ?? null;
    this.plans?.delete(key);
    return offset;
  }

  /** A run that began before this process did, or long ago. */
  private tellLater(envelope: Recorded, deliveredAt: number | null): void {
    if (this.reading >= readingMax) {
      this.tracer?.drop();
      return;
    }
    this.reading += 1;
    const logged = new LoggedRuns(this.journal, () => undefined);
    const traced = logged.before(envelope.id, envelope.offset).then((started) => {
      if (started === null) return this.tracer?.drop();
      const { id, offset, at, event } = started;
      this.trace(envelope, this.know(id, offset, at, event.configuration), deliveredAt);
    });
    // What cannot be read any more has no span.
    void traced
      .catch(() => this.tracer?.drop())
      .finally(() => {
        this.reading -= 1;
      });
  }

  private know(runId: string, offset: number, at: number, { headers }: RunConfiguration): KnownRun {
    const places = runPlace({ runId, startedOffset: offset }, headers);
    const run = { startedOffset: offset, startedAt: at, run: places.run, parts: places.parts };
    this.known?.set(runId, run);
    return run;
  }

  private trace({ id, at, offset, event }: Recorded, run: KnownRun, deliveredAt: number | null) {
    if (this.tracer?.samples(run.run.traceId, run.run.flags) !== true) return;
    if ('step' in event) {
      const key = partKey(id, event.step);
      const startedAt = this.begun?.get(key) ?? deliveredAt ?? at;
      this.begun?.delete(key);
      this.addStep(id, event.step, { at, offset, startedAt, parts: run.parts });
    } else if (endsRun(event)) {
      this.known?.delete(id);
      this.addRun(id, run, at, endNames[event.type]);
    }
  }

  private addStep(
    runId: string,
    { id, name, type }: StepInfo,
    { at, offset, startedAt, parts }: StepTimes,
  ): void {
    this.tracer?.add({
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
    this.tracer?.add({
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
