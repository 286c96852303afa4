/** Subscriptions in a whole server on a simulated disk, on a clock that the test moves. */
import type { Command, EventEnvelope } from '../../../src/engine/decider.js';
import {
  type MessagePublished,
  messageKind,
} from '../../../src/messaging/messages/message.events.js';
import type { OutgoingAttempt } from '../../../src/messaging/outbound/attempt-outcome.js';
import type { SubscriptionCommand } from '../../../src/topics/subscriptions/subscription.commands.js';
import { Subscriptions } from '../../../src/topics/subscriptions/subscription.entity.js';
import {
  type SubscriptionDefinition,
  subscriptionKind,
} from '../../../src/topics/subscriptions/subscription.events.js';
import type { PartitionState } from '../../../src/topics/subscriptions/subscription-partition.decider.js';
import { SubscriptionPartitions } from '../../../src/topics/subscriptions/subscription-partition.entity.js';
import type { RecordsPushed } from '../../../src/topics/subscriptions/subscription-partition.events.js';
import { Topics } from '../../../src/topics/topics/topic.entity.js';
import { TopicLogs } from '../../../src/topics/topics/topic-logs.js';
import { TopicsService } from '../../../src/topics/topics/topics.service.js';
import type { RecordInput } from '../../../storage/format/record.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { type Answer, answered, SimulatedWorld } from '../../simulation/simulated-endpoints.js';
import { SimulatedServer, settled } from '../../simulation/simulated-server.js';
import { subscriptionDefinition } from '../../support/subscription-definition.js';

export const second = 1000;
export const minute = 60 * second;
export const startsAt = 1_767_000_000_000;

/** Destinations that answer according to the request. */
export class ListeningWorld extends SimulatedWorld {
  /** All attempts as they were sent. */
  readonly attempts: OutgoingAttempt[] = [];
  answerTo: (body: string, attempt: OutgoingAttempt) => Answer = () => answered(200);
  override isMoody = false;

  override answer(attempt: OutgoingAttempt): Answer {
    this.attempts.push(attempt);
    return this.answerTo(attempt.body?.toString() ?? '', attempt);
  }
}

/** Successive servers on one disk, and what reached the destinations. */
export class PushSimulation {
  private constructor(
    readonly world: ListeningWorld,
    public server: SimulatedServer,
  ) {}

  static async build(): Promise<PushSimulation> {
    const world = new ListeningWorld(new SeededRandom(1));
    const disk = new SimulatedDisk(new SeededRandom(2));
    const simulation = new PushSimulation(
      world,
      await SimulatedServer.start(disk, world, startsAt, 3),
    );
    await simulation.done(simulation.createTopic('rides'));
    return simulation;
  }

  /** Kills the process, and starts another one `downMs` later on what is left. */
  async restart(downMs = 0, disk = this.server.disk.restart(), seed = 4): Promise<void> {
    const at = this.server.clock.now() + downMs;
    this.server = await SimulatedServer.start(disk, this.world, at, seed);
    await this.pass(0);
  }

  async pass(durationMs: number, isOver: () => boolean = () => false): Promise<void> {
    await this.server.pass(durationMs, isOver);
    // Each record of a chain needs a read and two commits, none of which waits for a timer.
    for (let round = 0; round < 20 && !isOver(); round += 1) await settled();
    if (!isOver()) expect(this.server.failures).toEqual([]);
  }

  /** Lets work that waits for no timer finish. */
  async done<Value>(promise: Promise<Value>): Promise<Value> {
    let isDone = false;
    void promise.finally(() => {
      isDone = true;
    });
    for (let round = 0; round < 100 && !isDone; round += 1) await settled();
    return promise;
  }

  async ask(...commands: readonly Command[]): Promise<void> {
    const outcomes = await this.done(this.server.engine.dispatch(commands));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ ok: true });
    await settled();
  }

  /** Creates the subscription `name` to existing and new records. */
  subscribe(
    changes: Partial<SubscriptionDefinition> = {},
    message: Partial<SubscriptionDefinition['message']> = {},
    name = 'push',
  ): Promise<void> {
    const definition = subscriptionDefinition(changes, message);
    const positions = Array<number>(this.partitionsOf(definition.topic)).fill(0);
    return this.change({ type: 'CreateSubscription', definition, positions }, name);
  }

  change(
    command: SubscriptionCommand extends infer Cmd
      ? Cmd extends SubscriptionCommand
        ? Omit<Cmd, 'kind' | 'id' | 'at'>
        : never
      : never,
    id = 'push',
  ): Promise<void> {
    const at = this.server.clock.now();
    return this.ask({ ...command, kind: subscriptionKind, id, at } as SubscriptionCommand);
  }

  async log(partition = 0) {
    const logs = await this.server.provided(TopicLogs).logs('rides');
    const log = logs?.[partition];
    if (log === undefined) throw new Error(`rides has no partition ${partition}`);
    return log;
  }

  async append(partition: number, ...records: readonly RecordInput[]): Promise<void> {
    const log = await this.log(partition);
    for (const record of records) await this.done(log.append([record]).durable);
  }

  produce(partition: number, ...values: readonly string[]): Promise<void> {
    const records = values.map((value) => ({ key: null, value: Buffer.from(value) }));
    return this.append(partition, ...records);
  }

  /** The bodies that arrived, including repetitions. */
  get bodies(): string[] {
    return this.world.calls.map(({ body }) => body);
  }

  partition(partition = 0, name = 'push'): PartitionState {
    return this.server.provided(SubscriptionPartitions).stateOf(`${name}/${partition}`);
  }

  get subscriptions(): Subscriptions {
    return this.server.provided(Subscriptions);
  }

  createTopic(name: string) {
    return this.server.provided(TopicsService).forConsume(name, null);
  }

  partitionsOf(topic: string): number {
    return this.server.provided(Topics).partitionsOf(topic);
  }

  /** The messages that became dead letters. */
  async failed(): Promise<string[]> {
    const ids: string[] = [];
    for await (const envelopes of this.server.journal.replay()) {
      for (const { id, event } of envelopes) if (event.type === 'MessageFailed') ids.push(id);
    }
    return ids;
  }

  /** The journal's events about pushed records, and about their messages. */
  async journal() {
    const pushes: EventEnvelope<RecordsPushed>[] = [];
    const published: EventEnvelope<MessagePublished>[] = [];
    for await (const envelopes of this.server.journal.replay()) {
      for (const envelope of envelopes) {
        const { type } = envelope.event;
        if (type === 'RecordsPushed') pushes.push(envelope as EventEnvelope<RecordsPushed>);
        if (envelope.kind === messageKind && type === 'MessagePublished') {
          published.push(envelope as EventEnvelope<MessagePublished>);
        }
      }
    }
    return { pushes, published };
  }
}

/** A header of an attempt as it was sent; undefined = absent. */
export function headerOf({ headers }: OutgoingAttempt, name: string): string | undefined {
  const index = headers.findIndex((header, at) => at % 2 === 0 && header.toLowerCase() === name);
  return index < 0 ? undefined : headers[index + 1];
}
