/**
 * The open streams of each run, which are woken by durable events of the run and of its messages.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import type { AnyInterest } from '../../engine/registration.js';
import { isMessageEvent, isPublished } from '../../messaging/messages/recorded-events.js';
import { isRunEvent } from '../run-state/recorded-events.js';

/** A stream that follows a run. */
export interface RunFollower {
  readonly runId: string;
  /** Reports that something durable has happened. */
  wake(): void;
}

/** The few streams of one run, and the ids by which its messages are found while it is followed. */
interface Followed {
  readonly followers: Set<RunFollower>;
  readonly messageIds: Set<string>;
}

/** While no run is followed, the engine does not call the listener. */
export class RunFollowers {
  private readonly runs = new Map<string, Followed>();
  private readonly runOfMessage = new Map<string, string>();
  /** The events that `listener` observes: all of them, while any run is followed. */
  readonly interest: AnyInterest = { served: this.runs };

  /** Receives durable events of runs and messages, in order. */
  readonly listener = (envelopes: readonly EventEnvelope[]): void => {
    const woken = new Set<Followed>();
    for (const envelope of envelopes) {
      const runId = this.runOf(envelope);
      const followed = runId === undefined ? undefined : this.runs.get(runId);
      if (followed === undefined) continue;
      if (isMessageEvent(envelope)) this.remember(followed, envelope.id, runId ?? '');
      woken.add(followed);
    }
    for (const { followers } of woken) for (const follower of followers) follower.wake();
  };

  /** Adds a follower; `pending` are the run's messages that are not final now. */
  add(follower: RunFollower, pending: readonly string[]): void {
    const { runId } = follower;
    const known = this.runs.get(runId) ?? { followers: new Set(), messageIds: new Set() };
    known.followers.add(follower);
    this.runs.set(runId, known);
    for (const id of pending) this.remember(known, id, runId);
  }

  /** Stops waking the follower. Removing it again has no effect. */
  remove(follower: RunFollower): void {
    const followed = this.runs.get(follower.runId);
    if (followed === undefined) return;
    followed.followers.delete(follower);
    if (followed.followers.size > 0) return;
    this.runs.delete(follower.runId);
    for (const id of followed.messageIds) this.runOfMessage.delete(id);
  }

  private runOf(envelope: EventEnvelope): string | undefined {
    if (isRunEvent(envelope)) return envelope.id;
    return isPublished(envelope) ? envelope.event.run?.runId : this.runOfMessage.get(envelope.id);
  }

  private remember({ messageIds }: Followed, id: string, runId: string): void {
    messageIds.add(id);
    this.runOfMessage.set(id, runId);
  }
}
