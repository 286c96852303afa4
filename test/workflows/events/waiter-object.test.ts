import { waiterObject } from '../../../src/workflows/events/waiter-object.js';
import { runConfiguration } from '../../support/workflows/run-commands.js';

const configuration = runConfiguration({
  url: 'https://example.com/workflow',
  headers: ['x-tenant', 'acme', 'authorization', 'secret'],
});

const { terms } = configuration;
const wait = (deadline = 0) => ({
  step: { id: 1, name: 'w', type: 'Wait', concurrent: 1, target: null },
  eventId: 'paid',
  deadline,
});

describe('a waiter', () => {
  it('is shown with its run, the headers of its user, and its deadline in seconds', () => {
    const headers = {
      'X-Tenant': ['acme'],
      Authorization: ['secret'],
      'Svc-Workflow-Runid': ['wfr_1'],
      'Svc-Workflow-Url': ['https://example.com/workflow'],
      'Svc-Workflow-Sdk-Version': ['1'],
    };
    const shown = waiterObject('wfr_1', wait(1_767_003_600_999), configuration);
    expect(shown).toEqual({
      url: 'https://example.com/workflow',
      headers,
      deadline: 1_767_003_600,
      timeoutUrl: 'https://example.com/workflow',
      timeoutBody: expect.any(String),
      timeoutHeaders: { ...headers, 'Content-Type': ['application/json'] },
    });
    expect(JSON.parse(Buffer.from(shown.timeoutBody, 'base64').toString())).toEqual({
      stepId: 1,
      stepName: 'w',
      stepType: 'Wait',
      concurrent: 1,
      waitEventId: 'paid',
      waitTimeout: true,
    });
  });

  it('redacts the headers that the run wants redacted, but never the id of the run', () => {
    const hidden = expect.stringMatching(/^REDACTED:/);
    const redacted = (headers: readonly string[]) =>
      waiterObject('wfr_1', wait(), {
        ...configuration,
        dialect: 'upstash',
        terms: { ...terms, redaction: { body: true, headers } },
      }).headers;
    const own = {
      'Upstash-Workflow-Runid': ['wfr_1'],
      'Upstash-Workflow-Url': ['https://example.com/workflow'],
      'Upstash-Workflow-Sdk-Version': ['1'],
    };
    expect(redacted(['*'])).toEqual({ ...own, 'X-Tenant': [hidden], Authorization: [hidden] });
    expect(redacted(['authorization'])).toEqual({
      ...own,
      'X-Tenant': ['acme'],
      Authorization: [hidden],
    });
  });

  it('does not take the id of the run from a header of the user', () => {
    const headers = ['svc-workflow-runid', 'wfr_2'];
    const shown = waiterObject('wfr_1', wait(), { ...configuration, headers });
    expect(shown.headers['Svc-Workflow-Runid']).toEqual(['wfr_1']);
  });
});
