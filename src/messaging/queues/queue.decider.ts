/** What a command means for a queue: its existence and how it works. Its order is a fold apart. */
import { accept, type Decider, type Decision } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import { type QueueCommand, queueKind } from './queue.commands.js';
import { defaultSettings, type QueueEvent, type QueueSettings } from './queue.events.js';

/** A queue that exists; null = it does not. Times are Unix milliseconds. */
export type QueueState = (QueueSettings & { createdAt: number; updatedAt: number }) | null;

/** More could never be in flight: it is a mistake. */
export const parallelismMax = 10_000;

const nothing: Decision<QueueEvent> = accept<QueueEvent>([]);

function decide(command: QueueCommand, state: QueueState): Decision<QueueEvent> {
  switch (command.type) {
    case 'EnsureQueue':
      return state === null ? accept([{ type: 'QueueCreated', ...defaultSettings }]) : nothing;
    case 'UpsertQueue': {
      const { parallelism, isPaused } = command;
      return upsert(state, {
        ...(parallelism !== null && { parallelism }),
        ...(isPaused !== null && { isPaused }),
      });
    }
    case 'PauseQueue':
      return state === null ? missing(command.id) : upsert(state, { isPaused: true });
    case 'ResumeQueue':
      return state === null ? missing(command.id) : upsert(state, { isPaused: false });
    case 'DeleteQueue':
      return state === null ? missing(command.id) : accept([{ type: 'QueueDeleted' }]);
  }
}

/** Saying again what is so already costs no event. */
function upsert(state: QueueState, changes: Partial<QueueSettings>): Decision<QueueEvent> {
  const { parallelism, isPaused } = { ...defaultSettings, ...state, ...changes };
  if (!Number.isSafeInteger(parallelism) || parallelism < 1) {
    return new Refusal('invalid', 'parallelism must be a positive whole number');
  }
  if (parallelism > parallelismMax) {
    return new Refusal('over_limit', `parallelism must be at most ${parallelismMax}`);
  }
  if (state === null) return accept([{ type: 'QueueCreated', parallelism, isPaused }]);
  if (parallelism === state.parallelism && isPaused === state.isPaused) return nothing;
  return accept([{ type: 'QueueConfigured', parallelism, isPaused }]);
}

function missing(name: string): Decision<QueueEvent> {
  return new Refusal('not_found', `queue ${name} not found`);
}

/** Whether messages wait is not looked at: settings change at any time. */
export const queueDecider: Decider<QueueState, QueueCommand, QueueEvent> = {
  kind: queueKind,
  events: { QueueCreated: [], QueueConfigured: [], QueueDeleted: [] },
  initialState: () => null,
  decide,
  evolve: (state, event, { at }) => {
    if (event.type === 'QueueDeleted') return null;
    const { parallelism, isPaused } = event;
    return { parallelism, isPaused, createdAt: state?.createdAt ?? at, updatedAt: at };
  },
  wants: () => [],
  isFinal: (state) => state === null,
  checkpoints: { references: () => [] },
};
