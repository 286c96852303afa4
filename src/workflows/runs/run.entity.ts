/** The entity of workflow runs: holds the active runs and their indexes. */
import { Injectable } from '@nestjs/common';
import type { Command } from '../../engine/decider.js';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import { Messages } from '../../messaging/messages/message.entity.js';
import type { RunCommand } from '../run-state/run.commands.js';
import type { RunContext } from '../run-state/run.context.js';
import type { RunEvent } from '../run-state/run.events.js';
import type { RunState } from '../run-state/run.machine.js';
import { isLong, overflowOfEnd } from './history-bounds.policy.js';
import { type KnownRun, KnownRuns } from './known-runs.projection.js';
import { LatestNotification } from './latest-notification.projection.js';
import { PendingRunMessages } from './pending-messages.projection.js';
import { ResumedWebhooks } from './resumed-webhooks.projection.js';
import { runDecider } from './run.decider.js';
import { endsOfRunMessages, messageEndedFor } from './run-end.policy.js';
import type { PendingRunMessage, RunView } from './run-view.js';
import { RunWaiters } from './waiters.projection.js';

const nothing: readonly Command[] = [];

/**
 * A run that has ended leaves memory. `known` remembers its id for a while, so that a repeated
 * start does not start it again.
 */
@Injectable()
export class Runs extends Entity<RunState, RunCommand, RunEvent, RunView> {
  /** Runs that were started recently and have ended. */
  readonly known: KnownRuns;
  readonly notifications: LatestNotification;
  /** Which messages of each run are not final. */
  readonly pending: PendingRunMessages;
  /** Which runs wait for which event. */
  readonly waiters: RunWaiters;
  /** Which runs receive the calls of a run's webhooks. */
  readonly webhooks: ResumedWebhooks;
  /** Which active runs have a long history. */
  readonly long = { has: (id: string) => this.isLong(id) };

  constructor(
    engine: Engine,
    private readonly messages: Messages,
  ) {
    const known = new KnownRuns((id) => this.startOf(id));
    const notifications = new LatestNotification();
    const pending = new PendingRunMessages();
    const waiters = new RunWaiters();
    const webhooks = new ResumedWebhooks();
    const view: RunView = {
      known: (id, at) => this.startOf(id) ?? known.find(id, at),
      hasPending: (id) => pending.has(id),
      hasRoom: (id, bytes) => this.hasRoom(id, bytes),
      pending: (id) => this.pendingMessages(id),
      notificationOffset: (id) => notifications.offsetOf(id),
    };
    const folds = [known, notifications, waiters, webhooks];
    super(engine, { decider: runDecider, view, folds });
    this.known = known;
    this.notifications = notifications;
    this.pending = pending;
    this.waiters = waiters;
    this.webhooks = webhooks;
    messages.follow(pending);
    messages.reactTo((envelope, state) => {
      // While other messages are pending, the end of one matters to its run only if it failed.
      const isActive = envelope.event.type !== 'MessageFailed' && pending.hasOthers(state);
      return isActive ? nothing : messageEndedFor(envelope, state);
    }, endsOfRunMessages);
  }

  /** The context of an active run; undefined = it has ended, or never started. */
  active(id: string): RunContext | undefined {
    return this.actors.find(id)?.state.context;
  }

  private isLong(id: string): boolean {
    const run = this.active(id);
    return run !== undefined && isLong(run.entries);
  }

  private hasRoom(id: string, bytes: number): boolean {
    const run = this.active(id);
    return run === undefined || overflowOfEnd(run, bytes) === null;
  }

  private startOf(id: string): KnownRun | undefined {
    const run = this.active(id);
    const messageId = run?.entries.at(0)?.messageId;
    return run === undefined || messageId === undefined
      ? undefined
      : { messageId, createdAt: run.createdAt };
  }

  private pendingMessages(id: string): readonly PendingRunMessage[] {
    const messages = this.pending.of(id).flatMap((messageId) => this.pendingMessage(messageId));
    return messages.sort((one, other) => one.publishedOffset - other.publishedOffset);
  }

  private pendingMessage(messageId: string): readonly PendingRunMessage[] {
    const message = this.messages.pending(messageId);
    if (message === undefined || message.run === null) return [];
    const { run, notBefore, attempts } = message;
    const { role, publishedOffset } = run;
    return [{ messageId, role, publishedOffset, notBefore, wasTried: attempts > 0 }];
  }
}
