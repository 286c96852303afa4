import { readFilters } from '../../../src/http/query-filters.js';
import {
  cancelRunsFilters,
  isRunSelected,
} from '../../../src/workflows/active-runs/cancel-runs.request.js';
import { runDecider } from '../../../src/workflows/runs/run.decider.js';
import { given } from '../../support/given.js';
import { runConfiguration, runStarted, runTermsOf } from '../../support/workflows/run-commands.js';

const read = (query: string) => {
  const filters = readFilters(`/v2/workflows/runs?${query}`, cancelRunsFilters);
  if (!filters.ok) throw new Error(filters.message);
  return filters.value;
};
const view = {
  known: () => undefined,
  pending: () => [],
  hasPending: () => false,
  hasRoom: () => true,
  notificationOffset: () => null,
};
const flowControl = { key: 'k', parallelism: 1, rate: null, periodSeconds: 1 };
const { context: run } = given(
  runDecider,
  view,
  runStarted({
    configuration: runConfiguration({
      url: 'https://app.example:8443/wf?x=1',
      callerIp: '10.0.0.1',
      terms: runTermsOf({ labels: ['a', 'b'], flowControl }),
    }),
  }),
).state;
const isSelected = (query: string) => isRunSelected(run, read(query));

describe('a run', () => {
  it.each([
    ['workflowUrl=https://app.example:8443/', 'workflowUrl=https://app.example/'],
    [
      `workflowUrlExactMatch=true&workflowUrl=${encodeURIComponent(run.url)}`,
      'workflowUrlExactMatch=true&workflowUrl=https://app.example:8443/wf',
    ],
    ['workflowUrl=HTTPS://App.example:8443/w', 'workflowUrl=HTTPS://App.example:8443/W'],
    ['label=c&label=b', 'label=c'],
    ['flowControlKey=k,l', 'flowControlKey=l'],
    ['callerIP=10.0.0.1', 'callerIp=10.0.0.2'],
    ['host=app.example', 'host=example'],
    ['path=/wf', 'path=/w'],
    [`fromDate=${run.createdAt}&toDate=${run.createdAt}`, `fromDate=${run.createdAt + 1}`],
  ])('matches %s, and not %s', (selected, other) => {
    expect([isSelected(selected), isSelected(other)]).toEqual([true, false]);
    expect(isRunSelected(run, { ...read(selected), callerIp: ['10.9.9.9'] })).toBe(false);
  });

  it('matches a query without filters', () => {
    expect(isSelected('')).toBe(true);
    expect(isSelected('workflowUrlExactMatch=true')).toBe(true);
  });
});

it('at most `count` runs are canceled, and all of them without a count', () => {
  expect([read('').count, read('count=7').count, read('count=9999').count]).toEqual([
    Number.POSITIVE_INFINITY,
    7,
    500,
  ]);
});
