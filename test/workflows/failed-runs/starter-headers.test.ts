import { headerMap } from '../../../src/grammar/headers.js';
import { starterHeaders } from '../../../src/workflows/failed-runs/starter-headers.js';
import { callbackOptions } from '../../support/message-options.js';
import { runConfiguration } from '../../support/workflows/run-commands.js';

const run = { runId: 'wfr_1', createdAt: 1_767_000_000_000 };

describe('the headers that a run was started with', () => {
  it('mark it as a run, and contain its configuration and the headers for its endpoint', () => {
    const configuration = runConfiguration({ headers: ['X-Tenant', 'acme', 'Svc-Label', 'a,b'] });
    const terms = {
      ...configuration.terms,
      maxRetries: 7,
      retryDelay: '1000 * retried',
      timeoutMs: 30_000,
      flowControl: { key: 'k', parallelism: 2, rate: 3, periodSeconds: 60 },
      failureCallback: { ...callbackOptions(), url: 'https://example.com/failed' },
      labels: ['a', 'b'],
    };
    expect(headerMap(null, starterHeaders(run, { ...configuration, terms }))).toEqual({
      'Svc-Workflow-Runid': ['wfr_1'],
      'Svc-Workflow-Url': [configuration.url],
      'Svc-Workflow-Createdat': ['1767000000000'],
      'Svc-Workflow-Init': ['true'],
      'Svc-Workflow-Sdk-Version': ['1'],
      'Svc-Retries': ['7'],
      'Svc-Retry-Delay': ['1000 * retried'],
      'Svc-Timeout': ['30s'],
      'Svc-Flow-Control-Key': ['k'],
      'Svc-Flow-Control-Value': [expect.stringContaining('parallelism=2')],
      'Svc-Failure-Callback': ['https://example.com/failed'],
      'Svc-Label': ['a,b'],
      'X-Tenant': ['acme'],
    });
  });

  it('are in the dialect of the run, without options that it does not set', () => {
    const names = Object.keys(
      headerMap(null, starterHeaders(run, runConfiguration({ dialect: 'upstash' }))),
    );
    expect(names).toContain('Upstash-Retries');
    expect(names).not.toContain('Upstash-Timeout');
    expect(names).not.toContain('Upstash-Flow-Control-Key');
  });
});
