/** Determines what runs wait for, from memory and the journal. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Journal } from '../../engine/journal.js';
import { provided } from '../../engine/provided.js';
import { deadLetterId } from '../../messaging/messages/dead-letter-id.js';
import { Messages } from '../../messaging/messages/message.entity.js';
import type { PendingMessage } from '../../messaging/messages/message.state.js';
import { MessageSituations } from '../../messaging/why/message-situations.js';
import { FailedRuns } from '../failed-runs/failed-run.entity.js';
import { LoggedRuns } from '../history/logged-runs.js';
import { sleepStepTypes } from '../run-state/known-steps.js';
import type { RunContext } from '../run-state/run.context.js';
import { runStateName } from '../run-state/run-state-name.policy.js';
import { Runs } from '../runs/run.entity.js';
import {
  branchesMax,
  type EndedRunSituation,
  type OpenBranch,
  type RunSituation,
} from './run-situation.js';

/** How many times a run is examined at most, if its messages end meanwhile. */
const examinedMax = 4;

/** A message of a run that is not final. */
interface OpenDelivery {
  readonly messageId: string;
  readonly message: PendingMessage;
}

/** Knows an ended run as long as the journal still holds its events. */
@Injectable()
export class RunSituations {
  constructor(
    private readonly runs: Runs,
    private readonly messages: Messages,
    private readonly failedRuns: FailedRuns,
    private readonly situations: MessageSituations,
    private readonly journal: Journal,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /**
   * The durable situation of a run; null = the journal knows no such run. While the state that was
   * read becomes durable, a message may end, and the run no longer waits for it. Then the run is
   * examined again, since memory already holds what comes next.
   */
  async of(id: string): Promise<RunSituation | null> {
    for (let looks = 1; ; looks += 1) {
      const situation = await this.look(id);
      if (looks === examinedMax || situation === null || !hasMoved(situation)) return situation;
    }
  }

  private async look(id: string): Promise<RunSituation | null> {
    const now = this.clock.now();
    const active = await this.runs.shown(() => {
      const run = this.runs.find(id)?.state;
      return run === undefined ? null : { run, deliveries: this.deliveriesOf(id) };
    });
    if (active === null) return this.ended(id);
    const { run, deliveries } = active;
    const { waits, invocations } = run.context;
    const waiting = [...invocations.map(invocationBranch), ...waits.map(eventBranch)];
    const shown = deliveries.slice(0, branchesMax);
    const sent = await Promise.all(shown.map((each) => this.branchOf(each, run.context, now)));
    return {
      status: 'active',
      state: runStateName(run, deliveries.map(openMessage), now),
      branches: [...sent.flat(), ...waiting].slice(0, branchesMax),
      open: deliveries.length + waiting.length,
    };
  }

  private deliveriesOf(runId: string): readonly OpenDelivery[] {
    return this.runs.pending.of(runId).flatMap((messageId) => {
      const message = this.messages.pending(messageId);
      return message === undefined ? [] : [{ messageId, message }];
    });
  }

  /** The branch of a delivery; empty if the journal no longer knows the message. */
  private async branchOf(
    { messageId, message: { run, notBefore, attempts } }: OpenDelivery,
    { entries, calls }: RunContext,
    now: number,
  ): Promise<readonly OpenBranch[]> {
    const isCall = run?.role === 'call';
    const called = isCall ? messageId : run?.callId;
    const call = calls.find((open) => open.messageId === called);
    const step = call?.step ?? entries.at(run?.entry ?? -1)?.step;
    const stepName = step?.name ?? '';
    const isAsleep = step !== undefined && sleepStepTypes.has(step.type) && attempts === 0;
    if (isAsleep && notBefore > now) return [{ kind: 'sleep', stepName, until: notBefore }];
    const message = await this.situations.of(messageId);
    if (message === null) return [];
    return [{ kind: isCall ? 'call' : 'delivery', stepName, messageId, message }];
  }

  private async ended(id: string): Promise<EndedRunSituation | null> {
    const { highWatermark: until } = this.journal;
    const runs = new LoggedRuns(this.journal, () => undefined);
    const started = await runs.before(id, until);
    const end = started === null ? null : await runs.endOf(started, until);
    if (end === null) return null;
    const { event } = end;
    const isFailed = event.type === 'RunFailed';
    return {
      status: isFailed ? 'failed' : event.type === 'RunCanceled' ? 'canceled' : 'succeeded',
      at: end.at,
      cause: isFailed ? event.cause : null,
      dlqId: isFailed ? await this.letterThere(deadLetterId(end)) : null,
    };
  }

  /** The id of the dead letter; null if the failed run was resumed, restarted or deleted. */
  private letterThere(dlqId: string): Promise<string | null> {
    const { letters } = this.failedRuns;
    return this.failedRuns.shown(() => letters.find(dlqId, this.clock.now())?.id ?? null);
  }
}

function hasMoved(situation: RunSituation): boolean {
  if (situation.status !== 'active') return false;
  const stays = ['pending', 'unreadable'];
  return situation.branches.some(
    (each) => 'message' in each && !stays.includes(each.message.status),
  );
}

function openMessage({ message }: OpenDelivery) {
  const { run, notBefore, attempts } = message;
  return { role: run?.role ?? 'step', notBefore, failures: attempts };
}

function invocationBranch({ step, runId }: RunContext['invocations'][number]): OpenBranch {
  return { kind: 'invocation', stepName: step.name, runId };
}

function eventBranch({ step, eventId, deadline }: RunContext['waits'][number]): OpenBranch {
  return { kind: 'event', stepName: step.name, eventId, deadline };
}
