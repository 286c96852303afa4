/** The open streams of each run, which are woken by durable events of it and of its messages. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { AnyInterest } from '../../engine/registration.js';
import { isMessageEvent, isPublished } from '../../messaging/messages/recorded-events.js';
import { isRunEvent } from '../run-state/recorded-events.js';

/** One that follows a run. */
export interface RunFollower {
  readonly runId: string;
  /** Something has happened, durably. */
  wake(): void;
}

/** Streams of one run are few; messages of it are found by their ids while it is followed. */
interface Followed {
  readonly followers: Set<RunFollower>;
  readonly messageIds: Set<string>;
}

/** While no run is followed, the engine calls it for no event. */
export class RunFollowers {
  private readonly runs = new Map<string, Followed>();
  private readonly runOfMessage = new Map<string, string>();
  /** What `listener` observes: everything, while runs are followed. */
  readonly interest: AnyInterest = { served: this.runs };

  /** Sees durable events of runs and messages, in their order. */
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

  /** `pending` are the messages of the run that are not final now. */
  add(follower: RunFollower, pending: readonly string[]): void {
    const { runId } = follower;
    const known = this.runs.get(runId) ?? { followers: new Set(), messageIds: new Set() };
    known.followers.add(follower);
    this.runs.set(runId, known);
    for (const id of pending) this.remember(known, id, runId);
  }

  /** The follower is not woken any more; removing it twice is removing it once. */
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
