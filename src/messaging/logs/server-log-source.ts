/** The source of the logs of a server: its journal, its messages and its attempts in flight. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { Journal } from '../../engine/journal.js';
import { provided } from '../../engine/provided.js';
import { EndpointCalls } from '../delivery/message.effects.js';
import { MessageContents } from '../delivery/message-contents.js';
import { Messages } from '../messages/message.entity.js';
import type { MessagingSettings } from '../settings.js';
import type { LogSource } from './log-source.js';
import type { LoggedMessages } from './published-messages.js';

/** The source used by a server; tests and benchmarks have others. */
@Injectable()
export class ServerLogSource implements LogSource {
  readonly messages: LoggedMessages;
  readonly shown: LogSource['shown'];
  readonly running: LogSource['running'];
  readonly retentionMs: number;
  readonly attemptMsMax: number;
  /** Some tens of milliseconds of work; on a busy machine no caller waits longer than a second. */
  readonly budget = { events: 20_000, milliseconds: 1000 };

  constructor(
    engine: Engine,
    { actors }: Messages,
    readonly journal: Journal,
    contents: MessageContents,
    calls: EndpointCalls,
    @Inject(provided.clock) readonly clock: Clock,
    @Inject(provided.config) { logRetentionMs, timeoutMs }: MessagingSettings,
  ) {
    const publishedOffset = (id: string) => actors.firstOffsetOf(id);
    this.messages = { journal, publishedOffset, body: (published) => contents.readOwn(published) };
    this.shown = (read) => engine.shown(read);
    // If its message is final already (canceled meanwhile), an attempt will never be recorded.
    this.running = () =>
      [...calls.running()].flatMap(({ messageId, attempt, startedAt }) => {
        const offset = publishedOffset(messageId);
        return offset === undefined
          ? []
          : [{ messageId, attempt, startedAt, publishedOffset: offset }];
      });
    this.retentionMs = logRetentionMs;
    this.attemptMsMax = timeoutMs;
  }
}
