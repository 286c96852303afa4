/** Every state machine of the product; `stepwell machines` draws them. */
import { lifeMachine } from '../../engine/lifecycle/life.machine.js';
import { jobMachine } from '../../messaging/jobs/job.machine.js';
import { scheduleMachine } from '../../messaging/schedules/schedule.machine.js';
import { consumerGroupMachine } from '../../topics/groups/consumer-group.machine.js';
import { consumerSessionMachine } from '../../topics/sessions/consumer-session.machine.js';
import { subscriptionMachine } from '../../topics/subscriptions/subscription.machine.js';
import { runMachine } from '../../workflows/run-state/run.machine.js';
import type { DrawnMachine } from './machine-diagram.js';

/** All state machines, in the order in which they are printed. */
export const machines: readonly DrawnMachine[] = [
  runMachine,
  scheduleMachine,
  jobMachine,
  consumerGroupMachine,
  consumerSessionMachine,
  subscriptionMachine,
  lifeMachine,
];
