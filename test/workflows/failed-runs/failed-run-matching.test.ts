import { readFilters } from '../../../src/http/query-filters.js';
import { FailedRunMatching } from '../../../src/workflows/failed-runs/failed-run-matching.js';
import type { FailedRun } from '../../../src/workflows/failed-runs/failed-runs.projection.js';
import {
  type FailedRunListFilters,
  failedRunListFilters,
} from '../../../src/workflows/failed-runs/failed-runs.request.js';
import { epochMs } from '../../support/given.js';
import { callbackOptions } from '../../support/message-options.js';
import {
  type FailedRunEngine,
  openFailedRunEngine,
} from '../../support/workflows/failed-run-engine.js';
import { runConfiguration, runTermsOf } from '../../support/workflows/run-commands.js';

const { headers, ...failureCallback } = callbackOptions();
const configuration = runConfiguration({
  url: 'https://app.example/wf?a=1,2',
  callerIp: '10.0.0.7',
  terms: runTermsOf({
    labels: ['blue', 'green'],
    flowControl: { key: 'k', parallelism: 1, rate: null, periodSeconds: 1 },
    failureCallback,
  }),
});

function read(query: string): FailedRunListFilters {
  const read = readFilters(`/v2/workflows/dlq?${query}`, failedRunListFilters);
  if (!read.ok) throw new Error(read.message);
  return read.value;
}

describe('a failed run matches', () => {
  let opened: FailedRunEngine;
  let run: FailedRun;
  let matching: FailedRunMatching;

  beforeAll(async () => {
    opened = await openFailedRunEngine();
    run = await opened.fail({ id: 'wfr_abc', configuration }, 503);
    matching = new FailedRunMatching(opened.records);
  });

  afterAll(() => opened.close());

  it.each([
    '',
    'workflowRunId=wfr_abc',
    'workflowRunId=wfr_a',
    'workflowRunId=other&workflowRunId=wfr_',
    `workflowCreatedAt=${epochMs}`,
    `workflowCreatedAt=1,${epochMs}`,
    `fromDate=${epochMs}&toDate=${epochMs}`,
    `workflowUrl=${encodeURIComponent(configuration.url)}`,
    `url=${encodeURIComponent(configuration.url)}&url=other`,
    'label=green',
    'label=red,blue',
    'callerIp=10.0.0.7',
    'callerIP=10.0.0.7',
    'flowControlKey=j,k',
    'responseStatus=500,503',
    'failureFunctionState=CALLBACK_INPROGRESS',
    'failureCallbackState=CALLBACK_FAIL,CALLBACK_INPROGRESS',
    'source=workflow',
    `label=blue&responseStatus=503&workflowRunId=wfr_abc&toDate=${epochMs}`,
  ])('%s', async (query) => {
    expect(await matching.matches(run, read(query))).toBe(true);
    // Fields that were read once are cached.
    expect(await matching.matches(run, read(query))).toBe(true);
  });

  it.each([
    'workflowRunId=abc',
    'workflowRunId=wfr_abcd',
    `workflowCreatedAt=${epochMs + 1}`,
    `fromDate=${epochMs + 1}`,
    `toDate=${epochMs - 1}`,
    'workflowUrl=https://app.example/wf',
    `url=https://app.example/wf&workflowUrl=${encodeURIComponent(configuration.url)}`,
    'label=blu',
    'callerIp=10.0.0.1',
    'flowControlKey=K',
    'responseStatus=500',
    'failureFunctionState=CALLBACK_FAIL',
    'label=blue&responseStatus=500',
    `label=blue&fromDate=${epochMs + 1}`,
  ])('no query for %s', async (query) => {
    expect(await matching.matches(run, read(query))).toBe(false);
  });

  it('no query for fields that it does not have', async () => {
    const plain = await opened.fail({ id: 'plain' });
    for (const query of [
      'label=blue',
      'flowControlKey=k',
      'failureFunctionState=CALLBACK_INPROGRESS',
      'responseStatus=503',
    ]) {
      expect(await matching.matches(plain, read(query))).toBe(false);
    }
    expect(await matching.matches(plain, read('responseStatus=500'))).toBe(true);
  });
});
