/**
 * The events that runs wait for: opens waits, notifies and lists waiters. The waiters of an event
 * are read in one tick, so that everything accepted before is included. An event may have very many
 * waits; they end in slices, so that other requests are served in between.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { slicesOf } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { type Identifiers, newNames } from '../../engine/identifiers.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import type { Outcome } from '../../engine/turn.js';
import { Refusal } from '../../grammar/result.js';
import { RunArchive } from '../deliveries/run-archive.js';
import type {
  EndWait,
  OpenWaitForEvent,
  StepReceipt,
  StoreNotification,
} from '../run-state/run.commands.js';
import type { RunContext } from '../run-state/run.context.js';
import { type OpenWait, runKind } from '../run-state/run.events.js';
import { Runs } from '../runs/run.entity.js';
import { isEndedBy } from '../runs/run-waits.policy.js';
import type { Waiter } from '../runs/waiters.projection.js';
import { AnnouncedWebhooks } from './announced-webhooks.js';
import type { ActiveRunIds, NamedWebhook } from './event-path.js';
import type { WaitRequest } from './wait.request.js';
import { type NotifyItem, type WaiterObject, waiterObject } from './waiter-object.js';

/** A wait, and the context that its run had at that time. */
interface Waiting {
  readonly runId: string;
  readonly wait: OpenWait;
  readonly run: RunContext;
}

/**
 * How many waits are handled per tick. Each one wakes a run, ends a wait, and reads the
 * configuration of the run to show it.
 */
const waitsPerTick = 64;

/** Says nothing more, because a third party should learn nothing else about the run. */
const noRoom = new Refusal('unavailable', 'the run has no room for this call');

/**
 * A notification is durable when it is answered. The waits of one notification end in turns of at
 * most 64 waits; a crash in between leaves some of them open, and the client without an answer.
 */
@Injectable()
export class EventsService implements ActiveRunIds {
  constructor(
    private readonly engine: Engine,
    private readonly runs: Runs,
    private readonly archive: RunArchive,
    private readonly webhooks: AnnouncedWebhooks,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {}

  /**
   * Opens a wait of a run for an event; an event stored for the run before ends the wait at once.
   */
  wait(
    eventId: string,
    { runId, step, timeout, timeoutMs }: WaitRequest,
    by: Principal | null,
  ): Promise<Outcome<StepReceipt>> {
    const at = this.clock.now();
    const command: OpenWaitForEvent = {
      type: 'OpenWait',
      kind: runKind,
      id: runId,
      at,
      step,
      eventId,
      timeout,
      deadline: at + timeoutMs,
      messageId: newNames(this.identifiers, at).next('msg'),
    };
    return this.runs.ask(command, by);
  }

  /** Ends every wait for an event, in all runs. */
  notify(eventId: string, body: Buffer, by: Principal | null): Promise<NotifyItem[]> {
    return this.release(this.runs.waiters.of(eventId), body, by);
  }

  /**
   * Ends every wait of one run for an event; if there is none, keeps the event for the next wait.
   */
  async notifyRun(
    runId: string,
    eventId: string,
    body: Buffer,
    by: Principal | null,
  ): Promise<Outcome<readonly NotifyItem[]>> {
    const waiters = this.waitersOf(runId, eventId, false);
    if (waiters.length === 0) return this.store(runId, eventId, body, false, by);
    return { ok: true, value: await this.release(waiters, body, by) };
  }

  /**
   * Ends the first wait of a run for a call of this webhook; if there is none, keeps the call for
   * the next wait. Each of several calls ends a different wait.
   */
  async callWebhook(
    runId: string,
    eventId: string,
    body: Buffer,
    by: Principal | null,
  ): Promise<Outcome<readonly NotifyItem[]>> {
    const [first] = this.waitersOf(runId, eventId, true);
    if (first === undefined) return this.store(runId, eventId, body, true, by);
    const items = await this.release([first], body, by);
    return items.some(({ error }) => error !== undefined) ? noRoom : { ok: true, value: items };
  }

  /**
   * The event, and the active run that a call of one of these webhooks is meant for: the run that
   * announced the webhook, or the run that resumed it after a failure; null = none.
   */
  async calledBy(named: readonly NamedWebhook[]): Promise<NamedWebhook | null> {
    const called = await this.runs.shown(() => named.flatMap((each) => this.callsOf(each)));
    for (const { runId, eventId } of called) {
      const run = this.runs.active(runId);
      if (run !== undefined && (await this.webhooks.has(run, eventId))) return { runId, eventId };
    }
    return null;
  }

  /** The open waits for an event, in the order in which they began. */
  async waiters(eventId: string): Promise<WaiterObject[]> {
    const shown: WaiterObject[] = [];
    for (const slice of slicesOf(this.runs.waiters.of(eventId), waitsPerTick)) {
      if (shown.length > 0) await nextTick();
      for (const each of this.waitingOf(slice)) shown.push(await this.objectOf(each));
    }
    await this.settled();
    return shown;
  }

  /** Whether a run of this id is active; may be revealed to clients only after `settled`. */
  isActive(runId: string): boolean {
    return this.runs.has(runId);
  }

  /**
   * Whether a run of this id waits for an event; may be revealed to clients only after `settled`.
   */
  waitsFor(runId: string, eventId: string): boolean {
    return this.waitersOf(runId, eventId, false).length > 0;
  }

  /** Waits until everything read before is durable, so that it may be shown. */
  settled(): Promise<void> {
    return this.engine.durable();
  }

  /**
   * Ends waits with one event, whose bytes are stored once. A wait that opens meanwhile is not
   * included; a wait that ends otherwise meanwhile is not among the returned items.
   */
  private async release(
    waiters: readonly Waiter[],
    body: Buffer,
    by: Principal | null,
  ): Promise<NotifyItem[]> {
    const names = newNames(this.identifiers, this.clock.now());
    const id = names.next('ntf');
    const items: NotifyItem[] = [];
    let offset: number | null = null;
    for (const [index, slice] of [...slicesOf(waiters, waitsPerTick)].entries()) {
      if (index > 0) await nextTick();
      const waiting = this.waitingOf(slice);
      const at = this.clock.now();
      const commands = waiting.map(
        ({ runId, wait }): EndWait => ({
          type: 'EndWait',
          kind: runKind,
          id: runId,
          at,
          stepId: wait.step.id,
          waitOffset: wait.offset,
          messageId: names.next('msg'),
          notification: { id, body, offset },
        }),
      );
      const decided = this.engine.dispatch(commands, by);
      offset ??= this.runs.notifications.offsetOf(id);
      for (const [place, outcome] of (await decided).entries()) {
        const each = waiting[place];
        if (each !== undefined) items.push({ ...(await this.itemOf(each)), ...endFields(outcome) });
      }
    }
    // An answer that no run waits must also come only after all earlier turns are durable.
    await this.settled();
    return items;
  }

  private callsOf({ runId: announcer, eventId }: NamedWebhook): readonly NamedWebhook[] {
    return this.runs.webhooks.calledAs(announcer).map((runId) => ({ runId, eventId }));
  }

  private async store(
    runId: string,
    eventId: string,
    body: Buffer,
    isCall: boolean,
    by: Principal | null,
  ): Promise<Outcome<readonly NotifyItem[]>> {
    const command: StoreNotification = {
      type: 'StoreNotification',
      kind: runKind,
      id: runId,
      at: this.clock.now(),
      eventId,
      body,
      isCall,
    };
    const outcome = await this.runs.ask(command, by);
    return outcome.ok ? { ok: true, value: [] } : outcome;
  }

  private waitersOf(runId: string, eventId: string, isCall: boolean): readonly Waiter[] {
    const waits = this.runs.active(runId)?.waits ?? [];
    return waits
      .filter((wait) => wait.eventId === eventId && isEndedBy(wait, isCall))
      .map(({ step, deadline, offset }) => ({ runId, stepId: step.id, deadline, offset }));
  }

  /** The waits of the given waiters that are still open. */
  private waitingOf(waiters: readonly Waiter[]): readonly Waiting[] {
    return waiters.flatMap(({ runId, offset }) => {
      const run = this.runs.active(runId);
      const wait = run?.waits.find((each) => each.offset === offset);
      return run === undefined || wait === undefined ? [] : { runId, wait, run };
    });
  }

  private async itemOf(waiting: Waiting): Promise<NotifyItem> {
    const { runId, run } = waiting;
    const waiter = await this.objectOf(waiting);
    return { waiter, workflowRunId: runId, workflowCreatedAt: run.createdAt };
  }

  private async objectOf({ runId, wait, run }: Waiting): Promise<WaiterObject> {
    const configuration = await this.archive.configurationAt(run.configurationOffset);
    return waiterObject(runId, wait, configuration);
  }
}

/** The message that delivers the end of a wait, or the reason why the wait has not ended. */
function endFields(
  outcome: Outcome<StepReceipt> | undefined,
): Pick<NotifyItem, 'messageId' | 'error'> {
  if (outcome?.ok === false) return { error: outcome.message };
  const messageId = outcome?.value.messageId ?? null;
  return messageId === null ? {} : { messageId };
}
