/**
 * Carries out one trigger of a schedule: reads back its definition, looks up its destination, and
 * publishes its messages in one turn with the trigger itself.
 */
import { Inject, Injectable } from '@nestjs/common';
import { dispatchAtOnce } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { type Identifiers, newNames } from '../../engine/identifiers.js';
import { type Principal, workFor } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { ok, Refusal, type Result } from '../../grammar/result.js';
import type { PublishMessage } from '../messages/message.commands.js';
import { messageTargets } from '../url-groups/message-targets.js';
import { UrlGroups } from '../url-groups/url-group.entity.js';
import type { TriggerSchedule, TriggerScheduleNow } from './schedule.commands.js';
import { scheduleDecider, type TriggerScheduleEffect } from './schedule.decider.js';
import { Schedules } from './schedule.entity.js';
import { scheduleKind } from './schedule.events.js';
import { StoredDefinitions } from './stored-definitions.js';
import { commandsPerTurn, triggerMessages } from './trigger-commands.js';

/** The messages that a manual trigger published. */
export interface ManualTrigger {
  readonly scheduleId: string;
  readonly messageIds: readonly string[];
}

/**
 * Messages have the options that the schedule was created with, but go to the current endpoints of
 * a URL group.
 */
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

  /** Publishes the messages of a due trigger. One that cannot publish counts, too, and says why. */
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
    const refusal = await this.dispatch(messages, trigger, workFor(scheduleKind, scheduleId));
    if (refusal === null) return;
    await this.schedules.ask(triggerOf(scheduleId, effect, at, [], refusal.message));
  }

  /** Triggers a schedule manually; refused if nothing was published. */
  async publishNow(scheduleId: string, by: Principal): Promise<Result<ManualTrigger>> {
    const offset = await this.schedules.shown(
      () => this.schedules.find(scheduleId)?.state.context.definitionOffset,
    );
    if (offset === undefined) return new Refusal('not_found', `schedule ${scheduleId} not found`);
    const definition = await this.definitions.at(offset);
    const at = this.clock.now();
    const { url, topicName } = definition.event;
    const targets = messageTargets(url, topicName, (name) => this.groups.find(name)?.state);
    if (!targets.ok) return targets;
    const messages = triggerMessages(definition, targets, at, newNames(this.identifiers, at));
    const messageIds = messages.map(({ id }) => id);
    const trigger: TriggerScheduleNow = {
      type: 'TriggerScheduleNow',
      kind: scheduleKind,
      id: scheduleId,
      at,
      definitionOffset: offset,
      messageIds,
    };
    const refusal = await this.dispatch(messages, trigger, by);
    return refusal ?? ok({ scheduleId, messageIds });
  }

  /**
   * Dispatches a trigger with its messages; returns why it was refused, or null. A group of
   * hundreds takes several turns of one tick. The trigger counts with the last turn, so a crash in
   * between repeats messages but loses none. Earlier turns publish whatever the outcome of the
   * trigger, so the trigger is judged before any of them.
   */
  private async dispatch(
    messages: readonly PublishMessage[],
    trigger: TriggerSchedule | TriggerScheduleNow,
    by: Principal,
  ): Promise<Refusal | null> {
    const { engine, schedules } = this;
    const state = schedules.stateOf(trigger.id);
    const judged = scheduleDecider.decide(trigger, state, schedules.messages);
    const commands = judged instanceof Refusal ? [trigger] : [...messages, trigger];
    const length = commandsPerTurn(messages);
    for (const outcome of await dispatchAtOnce(engine, commands, true, by, length)) {
      if (!outcome.ok) return outcome;
    }
    return null;
  }
}

/** The command that counts a trigger: `error` says why nothing was published, else null. */
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
