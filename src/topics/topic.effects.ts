/** How the wishes of topics are carried out: logs are kept and dropped. */
import type { Clock } from '../engine/clock.js';
import type { Engine } from '../engine/engine.js';
import type { EffectCarrier } from '../engine/registration.js';
import type { RemoveTopic } from './topic.commands.js';
import { topicKind } from './topic.events.js';
import type { DropPartitionLogs, KeepPartitionLogs } from './topic.state.js';
import type { TopicLogs } from './topic-logs.js';

/** What the effects of topics work with. */
export interface TopicTools {
  readonly engine: Engine;
  readonly logs: TopicLogs;
  readonly clock: Clock;
}

export function carryTopicEffects(tools: TopicTools): void {
  const { engine, logs } = tools;
  const keep: EffectCarrier<KeepPartitionLogs> = {
    start({ id }, wish) {
      let isWanted = true;
      logs.keep(id, wish, () => isWanted);
      return () => {
        isWanted = false;
      };
    },
  };
  engine.carry('keepPartitionLogs', keep);
  engine.carry('dropPartitionLogs', dropping(tools));
}

function dropping({ engine, logs, clock }: TopicTools): EffectCarrier<DropPartitionLogs> {
  return {
    start({ id }, { partitions }) {
      logs.drop(id, partitions, () => {
        const at = clock.now();
        const command: RemoveTopic = { type: 'RemoveTopic', kind: topicKind, id, at };
        engine.tell([command]);
      });
      return nothingToStop;
    },
  };
}

const nothingToStop = () => undefined;
