/**
 * One trigger of a schedule: its definition is read back, its destination looked up, and its
 * messages are published in one turn with the trigger itself.
 */
import { Inject, Injectable } from '@nestjs/common';
import { dispatchAtOnce } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import type { Command } from '../../engine/decider.js';
import { Engine } from '../../engine/engine.js';
import { type Identifiers, newNames } from '../../engine/identifiers.js';
import { workFor } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { messageTargets } from '../url-groups/message-targets.js';
import { UrlGroups } from '../url-groups/url-group.entity.js';
import type { TriggerSchedule } from './schedule.commands.js';
import type { TriggerScheduleEffect } from './schedule.decider.js';
import { Schedules } from './schedule.entity.js';
import { scheduleKind } from './schedule.events.js';
import { StoredDefinitions } from './stored-definitions.js';
import { triggerMessages } from './trigger-commands.js';

@Injectable()
export class SchedulePublisher {
  constructor(
    private readonly engine: Engine,
    private readonly schedules: Schedules,
    private readonly definitions: StoredDefinitions,
    private readonly groups: UrlGroups,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {}

  /** Publishes what `effect` is due to publish; a trigger that cannot counts, and says why. */
  async publish(scheduleId: string, effect: TriggerScheduleEffect): Promise<void> {
    const definition = await this.definitions.at(effect.definitionOffset);
    const at = this.clock.now();
    const { url, topicName } = definition.event;
    const targets = messageTargets(url, topicName, (name) => this.groups.find(name)?.state);
    if (!targets.ok) {
      await this.schedules.ask(triggerOf(scheduleId, effect, at, [], targets.message));
      return;
    }
    const names = newNames(this.identifiers, at);
    const messages = triggerMessages(definition, targets, at, names);
    const ids = messages.map(({ id }) => id);
    const trigger = triggerOf(scheduleId, effect, at, ids, null);
    const refusal = await this.dispatch(scheduleId, [...messages, trigger]);
    if (refusal === null) return;
    await this.schedules.ask(triggerOf(scheduleId, effect, at, [], refusal));
  }

  /**
   * Why it was refused; null = it was not. A group of hundreds takes several turns of one tick: the
   * trigger counts with the last one, so a crash in between repeats messages and loses none.
   */
  private async dispatch(id: string, commands: readonly Command[]): Promise<string | null> {
    const by = workFor(scheduleKind, id);
    for (const outcome of await dispatchAtOnce(this.engine, commands, true, by)) {
      if (!outcome.ok) return outcome.message;
    }
    return null;
  }
}

/** Counts a trigger: `error` says why nothing was published, null = something was. */
function triggerOf(
  id: string,
  { notBefore: dueAt, definitionOffset }: TriggerScheduleEffect,
  at: number,
  messageIds: readonly string[],
  error: string | null,
): TriggerSchedule {
  const kind = scheduleKind;
  return { type: 'TriggerSchedule', kind, id, at, dueAt, definitionOffset, messageIds, error };
}
