/** Wiring of groups and their instances, as far as the engine decides about them. */
import { Module } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { Topics } from '../topics/topic.entity.js';
import { TopicsModule } from '../topics/topics.module.js';
import { Consumers } from './consumer.entity.js';
import { ConsumerGroups } from './consumer-group.entity.js';
import { GroupReassignment } from './group-reassignment.js';
import { GroupViews } from './group-views.js';

/** Exports groups, instances, the durable views of groups, and their reassignment. */
@Module({
  imports: [TopicsModule],
  providers: [ConsumerGroups, Consumers, GroupViews, GroupReassignment],
  exports: [ConsumerGroups, Consumers, GroupViews, GroupReassignment],
})
export class GroupsModule {
  constructor(
    topics: Topics,
    groups: ConsumerGroups,
    views: GroupViews,
    reassignment: GroupReassignment,
    life: ProcessLife,
    registry: Registry,
  ) {
    groups.index(views.index, views.memory);
    topics.observe(reassignment.listener);
    life.addRecoverable({
      name: 'consumer groups',
      changes: true,
      recover: () => reassignment.recover(),
    });
    gauge(registry, 'stepwell_consumer_groups', 'Consumer groups.', () => views.size);
    const rebalances = rebalancesOf(registry);
    groups.observe((envelopes) => {
      for (const { event } of envelopes) if ('generation' in event) rebalances.inc();
    });
  }
}

function rebalancesOf(registry: Registry): Counter {
  return new Counter({
    name: 'stepwell_rebalances_total',
    help: 'New generations of consumer groups: changes of members or of their partitions.',
    registers: [registry],
  });
}
