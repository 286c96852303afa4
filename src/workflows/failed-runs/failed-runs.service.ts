/**
 * What requests do with failed runs: find, show and delete them, and call their callbacks again.
 */
import { Inject, Injectable } from '@nestjs/common';
import { dispatchMany } from '../../engine/bulk/bulk-action.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { type Identifiers, newNames } from '../../engine/identifiers.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import type { DamageNotes } from '../../engine/reading/damage-notes.js';
import type { Outcome } from '../../engine/turn.js';
import { ok, refused } from '../../grammar/result.js';
import { listed } from '../../messaging/dead-letters/letter-listing.js';
import type { DeletedLetters } from '../../messaging/dead-letters/letter-search.js';
import { markedLetterId } from '../../messaging/messages/dead-letter-id.js';
import type { CancelMessage, PublishMessage } from '../../messaging/messages/message.commands.js';
import { Messages } from '../../messaging/messages/message.entity.js';
import { messageKind } from '../../messaging/messages/message.events.js';
import { messageTerms } from '../../messaging/messages/recorded-events.js';
import type { AllowFailureCallback, DeleteFailedRun } from './failed-run.commands.js';
import { failedRunKind } from './failed-run.events.js';
import { type FailedRunObject, failedRunObject } from './failed-run-object.js';
import { FailedRunRecords } from './failed-run-records.js';
import { FailedRunSearch } from './failed-run-search.js';
import type { FailedRun } from './failed-runs.projection.js';
import type { FailedRunFilters, FailedRunListFilters } from './failed-runs.request.js';

/** How the answers to actions identify a run (workflows.md 6.2). */
export interface RunReference {
  readonly workflowRunId: string;
  /** Unix milliseconds. */
  readonly workflowCreatedAt: number;
}

const noBody = Buffer.alloc(0);

/**
 * Used by the controller, `GET /v2/dlq` and jobs. A change is durable when its promise resolves;
 * `deleting` only makes a command.
 */
@Injectable()
export class FailedRunsService {
  constructor(
    private readonly engine: Engine,
    private readonly messages: Messages,
    private readonly search: FailedRunSearch,
    private readonly records: FailedRunRecords,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {}

  /** The failed run with this id, if it exists. */
  find(id: string): Promise<FailedRun | undefined> {
    return this.search.find(id);
  }

  /** The API object of a failed run, with redactions applied. */
  async shown(run: FailedRun): Promise<FailedRunObject> {
    const { records } = this;
    const failure = await records.failureOf(run);
    const callbackOffset = run.callback?.attemptOffset ?? null;
    return failedRunObject({
      run,
      failure: failure.event,
      configuration: await records.configurationOf(run),
      published: await records.publishedAt(failure.event.publishedOffset),
      attempt: await records.attemptOf(failure),
      body: await records.bodyOf(run),
      callbackAttempt: callbackOffset === null ? null : await records.attemptAt(callbackOffset),
    });
  }

  /** One page of the failed runs that match, produced part by part. */
  list(filters: FailedRunListFilters): ReturnType<typeof listed> {
    const find = (damage: DamageNotes) => this.search.listed(filters, filters.order, damage);
    return listed(find, (run) => this.shown(run));
  }

  /** Deletes a failed run; false if it does not exist. */
  async delete(id: string, by: Principal | null): Promise<boolean> {
    return (await this.deleteAll([markedLetterId(id)], by)) === 1;
  }

  /** Deletes the named failed runs, or up to `count` of those that match, oldest first. */
  deleteMatching(filters: FailedRunFilters, by: Principal | null): Promise<DeletedLetters> {
    return this.search.deleteBulk(filters, (ids) => this.deleteAll(ids, by));
  }

  /** Calls a failed failure callback again; null = there is no such failed run. */
  async repeatCallback(id: string, by: Principal | null): Promise<Outcome<RunReference> | null> {
    const run = await this.search.find(id);
    if (run === undefined) return null;
    if (run.callback === null) return noCallback;
    const { event } = await this.records.publishedAt(run.callback.publishedOffset);
    const { type, ...message } = event;
    const at = this.clock.now();
    const allow: AllowFailureCallback = {
      type: 'AllowFailureCallback',
      kind: failedRunKind,
      id: run.id,
      at,
    };
    const publish: PublishMessage = {
      type: 'PublishMessage',
      kind: messageKind,
      id: newNames(this.identifiers, at).next('msg'),
      at,
      message: { ...message, notBefore: at },
      body: noBody,
      sharesBodyWith: null,
    };
    const [outcome] = await this.engine.dispatchTogether([allow, publish], by);
    return referenceTo(run, outcome);
  }

  /** Cancels a failure callback that is in progress; null = there is no such failed run. */
  async cancelCallback(id: string, by: Principal | null): Promise<Outcome<RunReference> | null> {
    const run = await this.search.find(id);
    if (run === undefined) return null;
    if (run.callback?.state !== 'CALLBACK_INPROGRESS') return nothingToCancel;
    const { messageId, publishedOffset } = run.callback;
    const { event } = await this.records.publishedAt(publishedOffset);
    const cancel: CancelMessage = {
      type: 'CancelMessage',
      kind: messageKind,
      id: messageId,
      at: this.clock.now(),
      terms: messageTerms(event),
    };
    const outcome = await this.messages.ask(cancel, by);
    // A refused cancel means that the callback ended while it was read from the journal.
    return outcome.ok ? referenceTo(run, outcome) : nothingToCancel;
  }

  private deleteAll(ids: readonly string[], by: Principal | null): Promise<number> {
    return dispatchMany(this.engine, this.clock, this.deletions(ids), ids.length, by);
  }

  /** The command that deletes a failed run. */
  deleting(id: string): DeleteFailedRun {
    return { type: 'DeleteFailedRun', kind: failedRunKind, id, at: this.clock.now() };
  }

  private async *deletions(ids: readonly string[]): AsyncGenerator<DeleteFailedRun> {
    for (const id of ids) yield this.deleting(id);
  }
}

const noCallback = refused('the run names no failure callback');
const nothingToCancel = refused('no failure callback of the run is in progress');

function referenceTo({ runId, createdAt }: FailedRun, outcome: Outcome): Outcome<RunReference> {
  if (!outcome.ok) return outcome;
  return ok({ workflowRunId: runId, workflowCreatedAt: createdAt });
}
