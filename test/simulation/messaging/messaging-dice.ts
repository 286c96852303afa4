/** What users of the messaging service may ask next, as the seed says. */
import type { Command } from '../../../src/engine/decider.js';
import { flowControlKind } from '../../../src/messaging/flow-control/flow-control.commands.js';
import type {
  CancelMessage,
  PublishMessage,
  PublishReceipt,
} from '../../../src/messaging/messages/message.commands.js';
import {
  type CallbackOptions,
  type FlowControlOptions,
  type MessagePublished,
  messageKind,
} from '../../../src/messaging/messages/message.events.js';
import { queueKind, type UpsertQueue } from '../../../src/messaging/queues/queue.commands.js';
import type { CreateSchedule } from '../../../src/messaging/schedules/schedule.commands.js';
import { scheduleKind } from '../../../src/messaging/schedules/schedule.events.js';
import { messageOptions } from '../../support/message-options.js';
import type { SeededRandom } from '../seeded-random.js';
import type { SimulatedServer } from '../simulated-server.js';
import type { Acknowledged, CommandDice } from '../simulation.js';

/** Limits that a simulation keeps, so that what it has seen can be judged by them. */
export const queues: Readonly<Record<string, number>> = { single: 1, double: 2 };
export const flowControls: Readonly<Record<string, FlowControlOptions>> = {
  narrow: { key: 'narrow', parallelism: 1, rate: null, periodSeconds: 1 },
  slow: { key: 'slow', parallelism: null, rate: 3, periodSeconds: 7 },
  both: { key: 'both', parallelism: 2, rate: 2, periodSeconds: 2 },
};
export const schedules = ['minutely', 'paused-now-and-then'];

/** Nothing is held up any more, and nothing new comes by itself. */
export function release(): readonly Command[] {
  const at = 0;
  return [
    ...Object.keys(queues).map((id) => ({ type: 'ResumeQueue', kind: queueKind, id, at })),
    ...Object.keys(flowControls).map((id) => ({
      type: 'ResumeFlowControl',
      kind: flowControlKind,
      id,
      at,
    })),
    ...schedules.map((id) => ({ type: 'DeleteSchedule', kind: scheduleKind, id, at })),
  ];
}

/** Publishes of every kind, messages taken back, and operators at work. */
export class MessagingDice implements CommandDice {
  private published = 0;

  constructor(private readonly random: SeededRandom) {}

  setUp(): readonly Command[] {
    return Object.entries(queues).map(
      ([id, parallelism]): UpsertQueue => ({
        type: 'UpsertQueue',
        kind: queueKind,
        id,
        at: 0,
        parallelism,
        isPaused: false,
      }),
    );
  }

  roll(server: SimulatedServer, acknowledged: readonly Acknowledged[]): readonly Command[] {
    const { random } = this;
    if (random.chance(0.12)) return this.cancel(acknowledged);
    if (random.chance(0.1)) return [this.operate()];
    if (random.chance(0.08)) return [this.schedule()];
    const count = 1 + random.below(4);
    return Array.from({ length: count }, () => this.publish(server.clock.now()));
  }

  private operate(): Command {
    const { random } = this;
    const [kind, names, types] = random.pick([
      [queueKind, Object.keys(queues), ['PauseQueue', 'ResumeQueue']],
      [flowControlKind, Object.keys(flowControls), ['PauseFlowControl', 'ResumeFlowControl']],
      [scheduleKind, schedules.slice(1), ['PauseSchedule', 'ResumeSchedule', 'DeleteSchedule']],
    ] as const);
    return { type: random.pick<string>(types), kind, id: random.pick<string>(names), at: 0 };
  }

  private schedule(): CreateSchedule {
    const { random } = this;
    const { url, notBefore, bodyOffset, callbackOf, topicName, endpointName, scheduleId, ...rest } =
      messageOptions({ maxRetries: 1, retryDelay: '1000' });
    return {
      type: 'CreateSchedule',
      kind: scheduleKind,
      id: random.pick(schedules),
      at: 0,
      definition: {
        cron: random.pick(['* * * * *', '*/2 * * * *']),
        url: 'https://scheduled.example/',
        topicName: null,
        message: { ...rest, delayMs: random.pick([0, 3000]) },
      },
      body: Buffer.from('scheduled'),
    };
  }

  private publish(at: number): PublishMessage {
    const { random } = this;
    this.published += 1;
    const message: Omit<MessagePublished, 'type'> = messageOptions({
      url: `https://${random.pick(['a', 'b', 'c'])}.example/${this.published}`,
      notBefore: random.chance(0.3) ? at + random.below(120_000) : at,
      maxRetries: random.below(4),
      retryDelay: random.pick([null, '1000', '2000 * (1 + retried)']),
      timeoutMs: random.pick([null, 1000, 10_000]),
      labels: random.pick([[], ['blue'], ['blue', 'green']]),
      deduplicationKey: random.chance(0.1) ? `id:${random.below(5)}` : null,
      callback: random.chance(0.2) ? this.callback() : null,
      failureCallback: random.chance(0.2) ? this.callback() : null,
      queueName: random.chance(0.3) ? random.pick(Object.keys(queues)) : null,
      flowControl: random.chance(0.3) ? random.pick(Object.values(flowControls)) : null,
    });
    const id = `msg_${this.published}`;
    const body = Buffer.from(`body of ${id}`);
    return {
      type: 'PublishMessage',
      kind: messageKind,
      id,
      at,
      message: { ...message, bodyBytes: body.length },
      body,
      sharesBodyWith: null,
    };
  }

  private callback(): CallbackOptions {
    const { random } = this;
    return {
      url: `https://callbacks.example/${this.published}`,
      method: 'POST',
      contentType: 'application/json',
      headers: [],
      delayMs: random.pick([0, 0, 5000]),
      timeoutMs: null,
      maxRetries: random.below(3),
      retryDelay: '1000',
      labels: [],
      flowControl: null,
      redaction: null,
    };
  }

  private cancel(acknowledged: readonly Acknowledged[]): readonly CancelMessage[] {
    const receipts = acknowledged.filter(({ command }) => command.type === 'PublishMessage');
    if (receipts.length === 0) return [];
    const { messageId: id } = this.random.pick(receipts).result as PublishReceipt;
    return [{ type: 'CancelMessage', kind: messageKind, id, at: 0, terms: [] }];
  }
}
