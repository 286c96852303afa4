/**
 * How a partition pushes: waits for the last messages to be final and for the next records to be
 * there, reads them, and has them published in the turn that counts them.
 */
import {
  DamagedOffsets,
  LogClosed,
  OffsetOutOfRange,
  TooLarge,
} from '../../../storage/faults/storage-errors.js';
import type { LogRecord } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import type { MessageTargets } from '../../messaging/url-groups/message-targets.js';
import type { TopicAccess } from '../topics/topic-access.js';
import type { MessageEnds } from './message-ends.js';
import { batchContent, recordContent, recordMessages } from './record-messages.js';
import type { SubscriptionDefinition } from './subscription.events.js';
import type { PushRecords } from './subscription-partition.commands.js';
import type { PushNext } from './subscription-partition.decider.js';
import {
  type SubscriptionPartitionPlace,
  subscriptionPartitionKind,
  subscriptionPartitionPlace,
} from './subscription-partition.events.js';

/** Reads and publishes on their way: enough to share commits; each may hold a large batch. */
const atOnceMax = 8;

/** While nothing can be published, whether it still cannot is looked at this often. */
const lookAgainMs = 1000;
/** A push that failed is tried again this much later. */
const tryAgainMs = 10_000;

/** What a push works with. */
export interface PushContext {
  readonly engine: Engine;
  readonly topics: Pick<TopicAccess, 'logs'>;
  readonly ends: MessageEnds;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  /** Of the JSON array of many records; one alone may be larger. */
  readonly bodyBytesMax: number;
  definitionOf(subscription: string): SubscriptionDefinition | null;
  targetsOf(definition: SubscriptionDefinition): MessageTargets;
  /** Whether new work may come in; a push that may not is late, never lost. */
  hasRoom(): boolean;
  /** A push failed and will be tried again. */
  failed(error: unknown, place: SubscriptionPartitionPlace): void;
}

/** One effect while it is carried out. */
class Push {
  readonly place: SubscriptionPartitionPlace;
  isWanted = true;
  /** Where the damage begins that it waits at. */
  standsAt: number | null = null;
  private interrupt: () => void = () => undefined;

  constructor(
    readonly id: string,
    readonly effect: PushNext,
  ) {
    this.place = subscriptionPartitionPlace(id);
  }

  /** Settles when `begin` calls back, or when the push is not wanted any more. */
  wait(begin: (wake: () => void) => () => void): Promise<void> {
    if (!this.isWanted) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = begin(resolve);
      this.interrupt = () => {
        cancel();
        resolve();
      };
    });
  }

  stop(): void {
    this.isWanted = false;
    this.interrupt();
  }
}

/** What a push publishes, and where. */
interface Source {
  readonly definition: SubscriptionDefinition;
  readonly targets: Extract<MessageTargets, { ok: true }>;
  readonly log: PartitionLog;
}

export class RecordPushes implements EffectCarrier<PushNext> {
  private readonly running = new Map<Push, Promise<void>>();
  private publishing = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly context: PushContext) {}

  start({ id }: EffectSource, effect: PushNext): () => void {
    const push = new Push(id, effect);
    const ended = this.run(push).finally(() => this.running.delete(push));
    this.running.set(push, ended);
    return () => push.stop();
  }

  /** Starts no more; settles when those on their way have ended. */
  async stop(): Promise<void> {
    for (const push of this.running.keys()) push.stop();
    await Promise.all(this.running.values());
  }

  private async run(push: Push): Promise<void> {
    const { ends, clock } = this.context;
    await push.wait((wake) => ends.whenFinal(push.effect.after, wake));
    for (let from: number | null = push.effect.position; push.isWanted && from !== null; ) {
      try {
        from = await this.pushFrom(push, from);
      } catch (error) {
        // Its topic is gone, and it goes with it; or the server stops.
        if (error instanceof LogClosed) return;
        this.tell(push, error);
        const delayMs = push.standsAt === null ? tryAgainMs : lookAgainMs;
        await push.wait((wake) => clock.after(delayMs, wake));
      }
    }
  }

  /** A partition that stands before damage waits there until it is purged; that is told once. */
  private tell(push: Push, error: unknown): void {
    const isDamage = error instanceof DamagedOffsets;
    if (!(isDamage && push.standsAt === error.offsets.from)) this.context.failed(error, push.place);
    push.standsAt = isDamage ? error.offsets.from : null;
  }

  /** Where to look next; null = it has pushed, or nothing can come any more. */
  private async pushFrom(push: Push, from: number): Promise<number | null> {
    const { topics, clock, definitionOf, targetsOf, hasRoom } = this.context;
    const lookAgain = async () => {
      await push.wait((wake) => clock.after(lookAgainMs, wake));
      return from;
    };
    const definition = definitionOf(push.place.subscription);
    const logs = definition === null ? undefined : await topics.logs(definition.topic);
    const log = logs?.[push.place.partition];
    if (definition === null || log === undefined) return lookAgain();
    await push.wait((wake) => log.whenBeyond(from, wake));
    if (log.highWatermark <= from) return null;
    const targets = targetsOf(definition);
    if (!targets.ok || !hasRoom()) return lookAgain();
    return this.inTurn(() => this.publish(push, from, { definition, targets, log }));
  }

  private async publish(push: Push, from: number, source: Source): Promise<number | null> {
    if (!push.isWanted) return null;
    const { definition, log } = source;
    const { engine, bodyBytesMax: maxBytes } = this.context;
    const { startOffset } = log;
    const start = Math.max(from, startOffset);
    const read = log.read(start, { maxRecords: definition.maxRecords, maxBytes });
    const batches = await read.catch((error: unknown) => {
      if (error instanceof OffsetOutOfRange) return null;
      throw error;
    });
    if (batches === null) return from; // trimmed a moment ago
    const [first, ...rest] = batches.flatMap((batch) => batch.records());
    if (first === undefined) return batches.at(-1)?.nextOffset ?? start;
    const gone = Math.max(0, startOffset - push.effect.position);
    const command = this.command(push, start, gone, [first, ...rest], source);
    try {
      await engine.dispatch([command]);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      // No message can hold it: passing it by is what keeps those behind it coming.
      const { records, skipped } = command;
      const passed = { records: 0, skipped: skipped + records, messages: [] };
      await engine.dispatch([{ ...command, ...passed }]);
    }
    return null;
  }

  private command(
    { id, place: { partition }, effect: { position } }: Push,
    from: number,
    skipped: number,
    read: readonly [LogRecord, ...LogRecord[]],
    { definition, targets }: Source,
  ): PushRecords {
    const { clock, identifiers, bodyBytesMax } = this.context;
    const { topic, maxRecords } = definition;
    const place = { topic, partition };
    const content =
      maxRecords === 1
        ? recordContent(read[0], place, definition)
        : batchContent(read, place, definition, bodyBytesMax);
    const at = clock.now();
    const seed = identifiers.turnSeed(at);
    const { records } = content;
    return {
      type: 'PushRecords',
      kind: subscriptionPartitionKind,
      id,
      at,
      position,
      from,
      until: (read[records - 1] ?? read[0]).offset + 1,
      records,
      skipped,
      messages: recordMessages(content, definition, targets, at, (index) => `msg_${seed}${index}`),
    };
  }

  private async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.publishing === atOnceMax) await new Promise<void>((go) => this.waiting.push(go));
    else this.publishing += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.publishing -= 1;
      else next();
    }
  }
}
