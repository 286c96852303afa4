/**
 * Events as they are asked for: waited for, notified, listed. What is looked at and what is decided
 * because of it happen in one tick, so that whatever was accepted before is seen, and nothing comes
 * between.
 */

import { Inject, Injectable } from '@nestjs/common';
import { dispatchAtOnce } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { Payloads } from '../../engine/payloads.js';
import { provided } from '../../engine/provided.js';
import type { Outcome } from '../../engine/turn.js';
import type {
  EndWait,
  OpenWaitForEvent,
  StepReceipt,
  StoreNotification,
} from '../run-state/run.commands.js';
import type { RunContext } from '../run-state/run.context.js';
import {
  type OpenWait,
  type RunConfiguration,
  type RunEvent,
  runKind,
} from '../run-state/run.events.js';
import type { RunState } from '../run-state/run.state.js';
import { isEndedBy } from '../runs/run-waits.policy.js';
import { type Waiter, Waiters } from '../runs/waiters.projection.js';
import { AnnouncedWebhooks } from './announced-webhooks.js';
import type { WaitRequest } from './wait.request.js';
import { type NotifyItem, type WaiterObject, waiterObject } from './waiter-object.js';

/** A wait, and the run that it belongs to as it was then. */
interface Waiting {
  readonly runId: string;
  readonly wait: OpenWait;
  readonly run: RunContext;
}

type Configured = RunEvent & { readonly configuration: RunConfiguration };

@Injectable()
export class EventsService {
  private readonly webhooks: AnnouncedWebhooks;

  constructor(
    private readonly engine: Engine,
    private readonly payloads: Payloads,
    private readonly waiting: Waiters,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {
    this.webhooks = new AnnouncedWebhooks((offset) => payloads.read(offset));
  }

  /** Has a run wait for an event; an event that came for it before ends the wait at once. */
  async wait(eventId: string, asked: WaitRequest): Promise<Outcome<StepReceipt>> {
    const { engine, clock, identifiers } = this;
    const { runId, step, timeout, timeoutMs } = asked;
    const at = clock.now();
    const command: OpenWaitForEvent = {
      type: 'OpenWait',
      kind: runKind,
      id: runId,
      at,
      step,
      eventId,
      timeout,
      deadline: at + timeoutMs,
      messageId: `msg_${identifiers.turnSeed(at)}`,
    };
    const [outcome] = await engine.dispatch([command]);
    return outcome as Outcome<StepReceipt>;
  }

  /** Ends every wait for an event, of whatever run. */
  notify(eventId: string, body: Buffer): Promise<NotifyItem[]> {
    return this.release(this.waiting.of(eventId), body);
  }

  /** Ends every wait of one run for an event; where there is none, keeps the event for the next. */
  async notifyRun(
    runId: string,
    eventId: string,
    body: Buffer,
  ): Promise<Outcome<readonly NotifyItem[]>> {
    const waiters = this.waitersOf(runId, eventId, false);
    if (waiters.length === 0) return this.store(runId, eventId, body, false);
    return { accepted: true, result: await this.release(waiters, body) };
  }

  /**
   * Ends the first wait of a run for a call of this webhook; where there is none, keeps the call
   * for the next. Of several calls each is for another wait.
   */
  async callWebhook(
    runId: string,
    eventId: string,
    body: Buffer,
  ): Promise<Outcome<readonly NotifyItem[]>> {
    const [first] = this.waitersOf(runId, eventId, true);
    if (first === undefined) return this.store(runId, eventId, body, true);
    return { accepted: true, result: await this.release([first], body) };
  }

  /** Whether a run of this id is active and has announced a webhook of this name. */
  async announces(runId: string, eventId: string): Promise<boolean> {
    const run = this.runOf(runId);
    await this.settled();
    return run !== undefined && this.webhooks.has(run.context, eventId);
  }

  /** Those that wait for an event, in the order in which they began to. */
  async waiters(eventId: string): Promise<WaiterObject[]> {
    const waiting = this.waiting.of(eventId).map((waiter) => this.waitingOf(waiter));
    await this.engine.durable();
    const shown: WaiterObject[] = [];
    for (const each of waiting) shown.push(await this.shown(each));
    return shown;
  }

  /** Whether a run of this id takes events; to be shown once `settled`. */
  isActive(runId: string): boolean {
    return this.engine.actors(runKind).has(runId);
  }

  /** What was read until now may be shown. */
  settled(): Promise<void> {
    return this.engine.durable();
  }

  /**
   * Ends waits with one event, whose bytes are kept once. Turns of one tick: a wait that opens
   * meanwhile is not among those that were looked at, and none of these can end otherwise.
   */
  private async release(waiters: readonly Waiter[], body: Buffer): Promise<NotifyItem[]> {
    const { engine, clock, identifiers } = this;
    const waiting = waiters.map((waiter) => this.waitingOf(waiter));
    const at = clock.now();
    const seed = identifiers.turnSeed(at);
    const notification = { id: seed, body };
    const commands = waiters.map(
      ({ runId, stepId, offset }, index): EndWait => ({
        type: 'EndWait',
        kind: runKind,
        id: runId,
        at,
        stepId,
        waitOffset: offset,
        messageId: `msg_${seed}${index.toString(36)}`,
        notification,
      }),
    );
    const decided = dispatchAtOnce(engine, commands, false);
    // If no run waits, the answer says so once all earlier turns are durable.
    const settled = engine.durable();
    const outcomes = (await decided) as readonly Outcome<StepReceipt>[];
    await settled;
    const items: NotifyItem[] = [];
    for (const [index, each] of waiting.entries()) {
      items.push({ ...(await this.item(each)), ...told(outcomes[index]) });
    }
    return items;
  }

  private async store(
    runId: string,
    eventId: string,
    body: Buffer,
    isCall: boolean,
  ): Promise<Outcome<readonly NotifyItem[]>> {
    const { engine, clock } = this;
    const command: StoreNotification = {
      type: 'StoreNotification',
      kind: runKind,
      id: runId,
      at: clock.now(),
      eventId,
      body,
      isCall,
    };
    const [outcome] = await engine.dispatch([command]);
    if (outcome === undefined) throw new Error('a command without an outcome');
    return outcome.accepted ? { accepted: true, result: [] } : outcome;
  }

  private waitersOf(runId: string, eventId: string, isCall: boolean): readonly Waiter[] {
    const waits = this.runOf(runId)?.context.waits ?? [];
    return waits
      .filter((wait) => wait.eventId === eventId && isEndedBy(wait, isCall))
      .map(({ step, deadline, offset }) => ({ runId, stepId: step.id, deadline, offset }));
  }

  private waitingOf(waiter: Waiter): Waiting {
    const state = this.runOf(waiter.runId);
    const wait = state?.context.waits.find(({ offset }) => offset === waiter.offset);
    if (state === undefined || wait === undefined) {
      throw new Error(`${waiter.runId} waits, but has ended`);
    }
    return { runId: waiter.runId, wait, run: state.context };
  }

  private async item(waiting: Waiting) {
    return {
      waiter: await this.shown(waiting),
      workflowRunId: waiting.runId,
      workflowCreatedAt: waiting.run.createdAt,
    };
  }

  private async shown({ runId, wait, run }: Waiting): Promise<WaiterObject> {
    const read = await this.payloads.read(run.configurationOffset);
    const { event } = read as EventEnvelope<Configured>;
    return waiterObject(runId, wait, event.configuration);
  }

  private runOf(runId: string): RunState | undefined {
    return this.engine.actors(runKind).find(runId)?.state as RunState | undefined;
  }
}

function told(outcome: Outcome<StepReceipt> | undefined): Pick<NotifyItem, 'messageId' | 'error'> {
  if (outcome === undefined) throw new Error('a command without an outcome');
  if (!outcome.accepted) return { error: outcome.rejection.message };
  const { messageId } = outcome.result;
  return messageId === null ? {} : { messageId };
}
