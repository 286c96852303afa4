/** What a command means for a job; and that a job that has not ended wants to continue. */
import { accept, type Decider, type Decision, type Effect } from '../../engine/decider.js';
import { machineEvolve } from '../../engine/machines/machine-evolve.js';
import { Refusal } from '../../grammar/result.js';
import type { AbortJob, AdvanceJob, CreateJob, JobCommand } from './job.commands.js';
import { type JobEvent, jobKind } from './job.events.js';
import { type JobCreator, type JobState, jobMachine } from './job.machine.js';

/** Continue the job, or forget it long after its end. */
export interface JobEffect extends Effect {
  readonly kind: 'goOnWithJob' | 'forgetJob';
}

/** What decisions read besides the job itself. */
export interface JobView {
  /** How many jobs have not ended. */
  readonly unfinished: number;
}

/** More jobs than users request. All of them are run, a few at a time. */
export const unfinishedMax = 100;

/** How long an ended job is shown. */
const keptMs = 7 * 86_400_000;

const machine = machineEvolve(jobMachine);

function decide(command: JobCommand, state: JobState, view: JobView): Decision<JobEvent> {
  if (command.type === 'CreateJob') return create(command, state, view);
  if (!state.hasTag('there')) return new Refusal('not_found', `job ${command.id} not found`);
  switch (command.type) {
    case 'AdvanceJob':
      return advance(command, state);
    case 'AbortJob':
      return abort(command, state);
    case 'FinishJob':
      return accept<JobEvent>(state.hasTag('ended') ? [] : [{ type: 'JobFinished' }]);
    case 'ForgetJob':
      return state.hasTag('ended')
        ? accept<JobEvent>([{ type: 'JobForgotten' }])
        : new Refusal('conflict', `job ${command.id} has not ended`);
  }
}

function create({ id, definition }: CreateJob, state: JobState, { unfinished }: JobView) {
  if (!state.matches('absent')) return new Refusal('conflict', `job ${id} exists already`);
  if (unfinished >= unfinishedMax) {
    return new Refusal('conflict', `${unfinishedMax} jobs have not ended yet`);
  }
  return accept<JobEvent>([{ type: 'JobCreated', ...definition }]);
}

function advance({ id, position, done, refusals }: AdvanceJob, state: JobState) {
  if (state.hasTag('ended')) return new Refusal('conflict', `job ${id} has ended`);
  return accept<JobEvent>([{ type: 'JobAdvanced', position, done, refusals }]);
}

/** Aborting an aborted job changes nothing; a job that is done cannot be aborted. */
function abort({ id, reason }: AbortJob, state: JobState) {
  if (state.matches('done')) return new Refusal('conflict', `job ${id} is done`);
  return accept<JobEvent>(state.hasTag('ended') ? [] : [{ type: 'JobAborted', reason }]);
}

function wants(state: JobState): readonly JobEffect[] {
  const { nextAt, endedAt } = state.context;
  if (state.matches('active')) return [{ kind: 'goOnWithJob', id: 'go on', notBefore: nextAt }];
  if (endedAt === null || !state.hasTag('ended')) return [];
  return [{ kind: 'forgetJob', id: 'forget', notBefore: endedAt + keptMs }];
}

/**
 * Refuses more unfinished jobs than the limit, and progress of an ended job, so that nothing is
 * taken after an abort.
 */
export const jobDecider: Decider<JobState, JobCommand, JobEvent, JobView> = {
  kind: jobKind,
  events: { JobCreated: [], JobAdvanced: [], JobFinished: [], JobAborted: [], JobForgotten: [] },
  initialState: machine.initialState,
  decide,
  evolve: (state, event, { at, by }) => {
    const creator: JobCreator | null =
      by?.type === 'caller'
        ? { name: by.name, address: by.address, requestId: by.requestId }
        : null;
    return machine.evolve(state, { ...event, at, by: creator });
  },
  handles: (state, event) => machine.can(state, { ...event, by: null }),
  wants,
  isFinal: machine.isFinal,
  checkpoints: { references: () => [] },
  stored: machine.stored,
};
