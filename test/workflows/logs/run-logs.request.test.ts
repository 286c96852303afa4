import type { Result } from '../../../src/grammar/result.js';
import {
  type FilteredRun,
  isGrouped,
  matchesRun,
  parseRunListQuery,
  parseRunLogQuery,
  runQueryTerms,
} from '../../../src/workflows/logs/run-logs.request.js';

const readAs = <Value>(result: Result<Value>): Value => {
  if (!result.ok) throw new Error(result.message);
  return result.value;
};
const rows = (query: string) => readAs(parseRunLogQuery(`/v2/workflows/messageLogs?${query}`));
const runs = (query: string) => readAs(parseRunListQuery(`/v2/workflows/logs?${query}`));
const runReason = (query: string) => {
  const result = parseRunListQuery(`/v2/workflows/logs?${query}`);
  return result.ok ? null : result.message;
};

describe('a query about runs', () => {
  it('asks for everything, newest first, by default', () => {
    expect(rows('')).toMatchObject({ order: 'latestFirst', states: null, messageIds: null });
    expect([rows('').count, runs('').count]).toEqual([1000, 10]);
    expect(runQueryTerms(rows(''))).toEqual([]);
  });

  it('may ask for fewer rows than the largest page, but never for more', () => {
    expect([rows('count=7').count, rows('count=5000').count]).toEqual([7, 1000]);
    expect([runs('count=7').count, runs('count=100').count]).toEqual([7, 10]);
  });

  it('knows the states of messages for rows, and only those of runs for runs', () => {
    const words = 'state=WAITER_ADDED,IN_PROGRESS&state=CANCELLED';
    expect([...(rows(words).states ?? [])].sort()).toEqual(
      ['ACTIVE', 'CANCELED', 'ERROR', 'RETRY', 'WAITER_ADDED'].sort(),
    );
    expect([...(runs('state=RUN_FAILED').states ?? [])]).toEqual(['RUN_FAILED']);
    expect(runReason('state=CREATED')).toContain('state must be one of RUN_STARTED');
  });

  it('names runs with the times of their starts', () => {
    expect(runs('workflowRuns=wfr_1@17,user@example.com@5').workflowRuns).toEqual([
      { runId: 'wfr_1', createdAt: 17 },
      { runId: 'user@example.com', createdAt: 5 },
    ]);
    expect(runReason('workflowRuns=wfr_1@yesterday')).toContain('workflowRuns must be ids');
  });

  it('selects the messages that both message filters allow', () => {
    expect(rows('messageId=a,b&messageIds=b,c').messageIds).toEqual(['b']);
    expect(rows('messageIds=b,c').messageIds).toEqual(['b', 'c']);
  });

  it('may limit the length of texts, or ask for none', () => {
    expect([rows('trimBody=9').trimBody, rows('trimBody=-1').trimBody]).toEqual([9, -1]);
    expect(rows('').trimBody).toBeNull();
    expect(runReason('trimBody=-2')).toContain('trimBody');
  });

  it('groups rows in only one way', () => {
    expect(isGrouped('/v2/workflows/events?count=1&groupBy=x')).toBe(true);
    expect(isGrouped('/v2/workflows/events?label=groupBy=')).toBe(false);
    expect(runReason('groupBy=workflowRunId')).toBeNull();
    expect(runReason('groupBy=messageId')).toContain('groupBy must be workflowRunId');
  });
});

describe('a run', () => {
  const run: FilteredRun = {
    runId: 'wfr_1',
    url: 'https://app.example:8443/wf?x=1',
    createdAt: 17,
    labels: ['a', 'b'],
    flowControlKey: 'k',
    callerIp: '10.0.0.1',
  };
  const url = encodeURIComponent(run.url);

  it.each([
    ['workflowRunId=wfr_0&workflowRunId=wfr_1', 'workflowRunId=wfr_0,wfr_1'],
    [`workflowUrl=${url}`, 'workflowUrl=https://app.example:8443/wf'],
    ['workflowCreatedAt=16,17', 'workflowCreatedAt=16'],
    ['workflowRuns=wfr_1@17', 'workflowRuns=wfr_1@18'],
    ['label=b&label=c', 'label=c'],
    ['flowControlKey=k', 'flowControlKey=l'],
    ['callerIP=10.0.0.1', 'callerIp=10.0.0.2'],
    ['host=app.example', 'host=app'],
    ['path=/wf', 'path=/wf?x=1'],
  ])('matches %s, and not %s', (selected, other) => {
    expect(matchesRun(run, runs(selected))).toBe(true);
    expect(matchesRun(run, runs(other))).toBe(false);
    // All filters must match.
    const { workflowRunId } = runs('workflowRunId=wfr_2');
    expect(matchesRun(run, { ...runs(selected), workflowRunId })).toBe(false);
  });

  it('is looked up by the terms of its events', () => {
    const names = 'workflowRunId=wfr_1&workflowRuns=wfr_2@1';
    const query = `${names}&label=a,b&flowControlKey=k&host=h`;
    expect(runQueryTerms(runs(query))).toEqual([
      ['run:wfr_1'],
      ['run:wfr_2'],
      ['label:a', 'label:b'],
      ['flow:k'],
    ]);
  });
});
