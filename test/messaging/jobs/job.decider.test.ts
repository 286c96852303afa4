import type { JobCommand } from '../../../src/messaging/jobs/job.commands.js';
import { jobDecider, unfinishedMax } from '../../../src/messaging/jobs/job.decider.js';
import type { JobDefinition, JobEvent } from '../../../src/messaging/jobs/job.events.js';
import { refusalsMax } from '../../../src/messaging/jobs/job.machine.js';
import { epochMs, given } from '../../support/given.js';

const definition: JobDefinition = {
  verb: 'retry',
  over: 'deadLetters',
  filters: [{ name: 'label', values: ['blue'] }],
  options: [],
  rate: 4,
  until: 90,
};
const created: JobEvent = { type: 'JobCreated', ...definition };
const finished: JobEvent = { type: 'JobFinished' };
const aborted: JobEvent = { type: 'JobAborted', reason: null };
const advanced = (position: number, done: number): JobEvent => {
  return { type: 'JobAdvanced', position, done, refusals: [] };
};
const few = { unfinished: 0 };

type Fields = { readonly type: JobCommand['type'] } & Readonly<Record<string, unknown>>;
const to = (fields: Fields): JobCommand =>
  ({ kind: 'job', id: 'it', at: epochMs, ...fields }) as JobCommand;
const advance = to({ type: 'AdvanceJob', position: 7, done: 2, refusals: [] });

describe('a job', () => {
  it('is created with its definition and wants to start at once', () => {
    const { events, wants } = given(jobDecider, few).when(to({ type: 'CreateJob', definition }));
    expect(events).toEqual([created]);
    expect(wants).toEqual([{ kind: 'goOnWithJob', id: 'go on', notBefore: epochMs }]);
  });

  it('is refused if the maximum number of jobs have not ended', () => {
    const view = { unfinished: unfinishedMax };
    const { rejected } = given(jobDecider, view).when(to({ type: 'CreateJob', definition }));
    expect(rejected).toEqual({ code: 'conflict', message: '100 jobs have not ended yet' });
  });

  it('remembers its position and when its rate allows the next items', () => {
    const { state, wants } = given(jobDecider, few, created, advanced(5, 2), advanced(9, 3));
    expect(state.context).toMatchObject({ position: 9, done: 5, refused: 0 });
    // The first two, at 1,000 ms, were late by a second; the next three, at 2,000 ms, by half a
    // second.
    expect(wants()).toMatchObject([{ notBefore: epochMs + 1500 + 750 }]);
  });

  it('catches up if it is late, by at most one second', () => {
    // The first was late by a second, the other by three quarters of a second.
    const { state } = given(jobDecider, few, created, advanced(5, 1), advanced(6, 1));
    expect(state.context.nextAt).toBe(epochMs + 1500);
  });

  it('remembers the first refusals and counts all of them', () => {
    const refusals = Array.from({ length: 30 }, (_, index) => ({ id: `${index}`, reason: 'gone' }));
    const event: JobEvent = { type: 'JobAdvanced', position: 1, done: 0, refusals };
    const { context } = given(jobDecider, few, created, event).state;
    expect(context.refused).toBe(30);
    expect(context.refusals).toEqual(refusals.slice(0, refusalsMax));
  });

  it.each([[finished], [aborted]])('takes no items once it has ended by %j', (end) => {
    const { rejected } = given(jobDecider, few, created, end).when(advance);
    expect(rejected).toEqual({ code: 'conflict', message: 'job it has ended' });
  });

  it('is aborted only once, and not after it is done', () => {
    const abort = to({ type: 'AbortJob', reason: null });
    expect(given(jobDecider, few, created).when(abort).events).toEqual([aborted]);
    expect(given(jobDecider, few, created, aborted).when(abort).events).toEqual([]);
    expect(given(jobDecider, few, created, finished).when(abort).rejected).toEqual({
      code: 'conflict',
      message: 'job it is done',
    });
  });

  it('is shown for a week after its end, and is then forgotten', () => {
    const forget = to({ type: 'ForgetJob' });
    const ended = given(jobDecider, few, created, finished);
    const notBefore = epochMs + 1000 + 7 * 86_400_000;
    expect(ended.wants()).toEqual([{ kind: 'forgetJob', id: 'forget', notBefore }]);
    expect(ended.when(forget)).toMatchObject({ isFinal: true, wants: [] });
    expect(given(jobDecider, few, created).when(forget).rejected?.code).toBe('conflict');
  });

  it.each([
    [advance],
    [to({ type: 'AbortJob', reason: null })],
    [to({ type: 'FinishJob' })],
    [to({ type: 'ForgetJob' })],
  ])('that does not exist refuses every command: %#', (command) => {
    const { rejected } = given(jobDecider, few).when(command);
    expect(rejected).toEqual({ code: 'not_found', message: 'job it not found' });
  });
});
