/** What users of the messaging service may ask next, as the seed says. */
import type { Command } from '../../src/engine/decider.js';
import type {
  CancelMessage,
  PublishMessage,
  PublishReceipt,
} from '../../src/messages/message.commands.js';
import {
  type CallbackOptions,
  type MessagePublished,
  messageKind,
} from '../../src/messages/message.events.js';
import { messageOptions } from '../support/message-options.js';
import type { Acknowledged } from './messaging-simulation.js';
import type { SeededRandom } from './seeded-random.js';
import type { SimulatedServer } from './simulated-server.js';

export interface CommandDice {
  /** Commands for the server as it stands, asked in one turn; their `at` is set by the asker. */
  roll(server: SimulatedServer, acknowledged: readonly Acknowledged[]): readonly Command[];
}

/** Publishes of every kind, and messages taken back. */
export class MessagingDice implements CommandDice {
  private published = 0;

  constructor(private readonly random: SeededRandom) {}

  roll(server: SimulatedServer, acknowledged: readonly Acknowledged[]): readonly Command[] {
    const { random } = this;
    if (random.chance(0.15)) return this.cancel(acknowledged);
    const count = 1 + random.below(4);
    return Array.from({ length: count }, () => this.publish(server.clock.now()));
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
