import type { RunConfiguration } from '../../src/workflows/run.events.js';
import { waiterObject } from '../../src/workflows/waiter-object.js';

const configuration: RunConfiguration = {
  dialect: 'svc',
  url: 'https://example.com/workflow',
  callerIp: '127.0.0.1',
  terms: {
    maxRetries: 3,
    retryDelay: null,
    timeoutMs: null,
    flowControl: null,
    labels: [],
    redaction: null,
    failureCallback: null,
  },
  headers: ['x-tenant', 'acme', 'authorization', 'secret'],
  failureHeaders: [],
  answerCheck: 'none',
  fetchesLazily: false,
  reportsInitialBody: false,
};

const { terms } = configuration;

describe('a waiter', () => {
  it('is shown with its run, the headers of its user, and its deadline in seconds', () => {
    expect(waiterObject('wfr_1', 1_767_003_600_999, configuration)).toEqual({
      url: 'https://example.com/workflow',
      headers: {
        'X-Tenant': ['acme'],
        Authorization: ['secret'],
        'Svc-Workflow-Runid': ['wfr_1'],
        'Svc-Workflow-Url': ['https://example.com/workflow'],
      },
      deadline: 1_767_003_600,
    });
  });

  it('hides the headers that it shall hide, and never its run', () => {
    const hidden = expect.stringMatching(/^REDACTED:/);
    const redacted = (headers: readonly string[]) =>
      waiterObject('wfr_1', 0, {
        ...configuration,
        dialect: 'upstash',
        terms: { ...terms, redaction: { body: true, headers } },
      }).headers;
    const own = {
      'Upstash-Workflow-Runid': ['wfr_1'],
      'Upstash-Workflow-Url': ['https://example.com/workflow'],
    };
    expect(redacted(['*'])).toEqual({ ...own, 'X-Tenant': [hidden], Authorization: [hidden] });
    expect(redacted(['authorization'])).toEqual({
      ...own,
      'X-Tenant': ['acme'],
      Authorization: [hidden],
    });
  });

  it('is not called what a header of its user says', () => {
    const headers = ['svc-workflow-runid', 'wfr_2'];
    const shown = waiterObject('wfr_1', 0, { ...configuration, headers });
    expect(shown.headers['Svc-Workflow-Runid']).toEqual(['wfr_1']);
  });
});
