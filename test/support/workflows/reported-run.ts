/** A run's events one after the other, for tests of what is made of them. */
import type { DomainEvent, EventEnvelope } from '../../../src/engine/decider.js';
import {
  type AttemptRecord,
  type MessageEvent,
  type MessagePublished,
  messageKind,
} from '../../../src/messaging/messages/message.events.js';
import { type ChildRun, RunHistory } from '../../../src/workflows/history/run-history.js';
import { type RunObject, runObject } from '../../../src/workflows/logs/run-object.js';
import {
  type RunConfiguration,
  type RunEvent,
  type RunStarted,
  runKind,
  type StepInfo,
} from '../../../src/workflows/run-state/run.events.js';
import type { RunSurroundings } from '../../../src/workflows/shown-steps/run-surroundings.js';
import type { StepObject } from '../../../src/workflows/shown-steps/step-object.js';
import { messageOptions } from '../message-options.js';
import { runPlace } from './run-place.js';

export const workflow = 'https://example.com/workflow';

export function configuration(changes: Partial<RunConfiguration> = {}): RunConfiguration {
  return {
    dialect: 'svc',
    url: workflow,
    callerIp: '10.0.0.1',
    terms: {
      maxRetries: 3,
      retryDelay: '1000',
      timeoutMs: null,
      flowControl: null,
      labels: [],
      redaction: null,
      failureCallback: null,
    },
    headers: ['X-Tenant', 'acme'],
    failureHeaders: [],
    answerCheck: 'protocol',
    fetchesLazily: false,
    reportsInitialBody: true,
    ...changes,
  };
}

export const stepOf = (id: number, changes: Partial<StepInfo> = {}): StepInfo => ({
  id,
  name: `step ${id}`,
  type: 'Run',
  concurrent: 1,
  target: null,
  ...changes,
});

const record: AttemptRecord = {
  attempt: 0,
  startedAt: 0,
  durationMs: 1,
  status: 200,
  headers: [],
  error: null,
};

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

/** Every event happens a second after the one before it; the first one at 1000. */
export class ReportedRun {
  readonly history: RunHistory;
  private offset = 0;
  private entries: number;

  constructor(
    changes: Partial<RunStarted> = {},
    payload = '{"n":1}',
    private readonly id = 'wfr_1',
  ) {
    const event: RunStarted = {
      type: 'RunStarted',
      configuration: configuration(),
      messageId: 'msg_0',
      payloadBytes: payload.length,
      payloadOffset: null,
      invoker: null,
      inherited: null,
      ...changes,
    };
    const inherited = (event.inherited?.entries ?? []).map(({ step, messageId, offset }) => ({
      step,
      messageId,
      offset,
      at: 500,
      body: json({ stepId: step.id, out: 'inherited' }),
    }));
    this.entries = inherited.length || 1;
    this.history = new RunHistory(this.envelope(event), Buffer.from(payload), inherited);
    if (event.inherited === null) this.deliver(event.messageId, 0);
  }

  /** Something happens to the run itself. */
  happen(event: RunEvent, body: unknown = null): this {
    const bytes = body === null ? null : Buffer.isBuffer(body) ? body : json(body);
    this.history.add({ ...this.envelope(event), body: bytes }, bytes);
    return this;
  }

  /** A step or a plan comes in, and is to be delivered at `notBefore`. */
  store(messageId: string, step: StepInfo, body: object = {}, notBefore = 0): this {
    const spelled = { stepId: step.id, stepName: step.name, stepType: step.type, ...body };
    this.happen({ type: 'StepStored', step, messageId, bytes: 1 }, spelled);
    return this.deliver(messageId, this.entries++, notBefore);
  }

  deliver(messageId: string, entry: number, notBefore = 0): this {
    return this.publish(messageId, { notBefore, run: runPlace({ role: 'step', entry }) });
  }

  publish(id: string, changes: Parameters<typeof messageOptions>[0], body = ''): this {
    const event: MessagePublished = {
      type: 'MessagePublished',
      ...messageOptions({ url: workflow, contentType: 'application/json', ...changes }),
    };
    const bytes = body === '' ? null : Buffer.from(body);
    this.history.add({ ...this.envelope(event, messageKind, id), body: bytes }, bytes);
    return this;
  }

  delivered(id: string, changes: Partial<AttemptRecord> = {}, body = ''): this {
    return this.end(id, { type: 'MessageDelivered', ...record, ...changes }, body);
  }

  /** An attempt fails, and another one follows. */
  stumbles(id: string, changes: Partial<AttemptRecord> = {}, body = 'oops'): this {
    const attempt = { ...record, status: 500, ...changes };
    return this.end(id, { type: 'AttemptFailed', ...attempt, retryAt: 99_000 }, body);
  }

  fails(id: string, changes: Partial<AttemptRecord> = {}, body = 'oops'): this {
    const cause = 'exhausted';
    return this.end(id, { type: 'MessageFailed', ...record, status: 500, ...changes, cause }, body);
  }

  canceled(id: string): this {
    return this.end(id, { type: 'MessageCanceled' });
  }

  /** The run fails with a message of it, whose failure has just been reported. */
  failWith(messageId: string, cause: 'exhausted' | 'stalled' = 'exhausted'): this {
    return this.happen({
      type: 'RunFailed',
      cause,
      messageId,
      publishedOffset: 0,
      attemptOffset: 0,
      canceled: [],
      canceledOffsets: [],
    });
  }

  object(around: Partial<RunSurroundings> = {}): RunObject {
    const children = new Map<string, ChildRun>();
    const usual = { now: 60_000, running: new Set<string>(), children, bytesMax: null };
    return runObject(this.history, { ...usual, ...around });
  }

  /** The steps without their groups, and without `next`. */
  steps(around: Partial<RunSurroundings> = {}): StepObject[] {
    return this.object(around).steps.flatMap((group) => (group.type === 'next' ? [] : group.steps));
  }

  private end(id: string, event: MessageEvent, body = ''): this {
    const bytes = body === '' ? null : Buffer.from(body);
    this.history.add({ ...this.envelope(event, messageKind, id), body: bytes }, bytes);
    return this;
  }

  private envelope<Event extends DomainEvent>(
    event: Event,
    kind: string = runKind,
    id = this.id,
  ): EventEnvelope<Event> {
    const offset = this.offset++;
    const at = 1000 * (offset + 1);
    return {
      kind,
      id,
      sequence: offset,
      at,
      offset,
      previous: -1,
      by: null,
      event,
      body: null,
      byteLength: 0,
    };
  }
}
