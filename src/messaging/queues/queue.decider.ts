/**
 * What a command means for a queue: its existence and its settings. The order of its entries is a
 * separate index (`QueueEntries`).
 */
import { accept, type Decider, type Decision } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import { type QueueCommand, queueKind } from './queue.commands.js';
import { defaultSettings, type QueueEvent, type QueueSettings } from './queue.events.js';

/** The state of a queue; null = it does not exist. Times are Unix milliseconds. */
export type QueueState = (QueueSettings & { createdAt: number; updatedAt: number }) | null;

/** A higher value is refused as a mistake: so many could never be in flight. */
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

/** A command that changes nothing causes no event. */
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

/** Does not consider waiting messages: settings may change at any time. */
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
