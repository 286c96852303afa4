/** What logs are made of: the journal, the messages in it, and what is in flight now. */
import type { Clock } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import type { DamageNotes } from '../../engine/reading/damage-notes.js';
import {
  JournalAroundDamage,
  type JournalReader,
} from '../../engine/reading/journal-around-damage.js';
import type { LoggedMessages } from './published-messages.js';
import type { WalkBudget } from './walk-cost.js';

/** An attempt in flight: what the journal does not know yet. */
export interface RunningAttempt {
  readonly messageId: string;
  /** From 0. */
  readonly attempt: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Journal offset of the message's `MessagePublished`. */
  readonly publishedOffset: number;
}

/** What logs are made of. */
export interface LogSource {
  readonly journal: JournalReader;
  readonly messages: LoggedMessages;
  /** What a read finds now, once it is durable. */
  readonly shown: Engine['shown'];
  /** The attempts in flight now. */
  readonly running: () => readonly RunningAttempt[];
  readonly clock: Clock;
  /** Rows older than this are not shown, milliseconds. */
  readonly retentionMs: number;
  /** The longest an attempt takes, milliseconds. */
  readonly attemptMsMax: number;
  /** What one page may cost. */
  readonly budget: WalkBudget;
}

/** The same, as far as it can be read; what cannot is noted. */
export function aroundDamage(source: LogSource, damage: DamageNotes): LogSource {
  const journal = new JournalAroundDamage(source.journal, damage);
  return { ...source, journal, messages: { ...source.messages, journal } };
}
