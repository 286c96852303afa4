import { runHeaders } from '../../../src/messaging/outbound/request-head.js';
import { runPlace } from '../../support/workflows/run-place.js';

/** Names to values. */
function said(changes: Parameters<typeof runPlace>[0], prefix = 'Svc-') {
  const headers = runHeaders(runPlace(changes), prefix);
  const pairs = Array.from({ length: headers.length / 2 }, (_, index) => [
    headers[index * 2],
    headers[index * 2 + 1],
  ]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

const always = {
  'Svc-Workflow-RunId': 'wfr_1',
  'Svc-Workflow-Url': 'https://example.com/workflow',
  'Svc-Workflow-CreatedAt': '1000',
};

describe('what a delivery says of its run', () => {
  it('is the version of the protocol, where it delivers entries', () => {
    expect(said({ entry: 3 })).toEqual({
      ...always,
      'Svc-Workflow-Init': 'false',
      'Svc-Workflow-Sdk-Version': '1',
    });
  });

  it('is that it begins, where it delivers the first entry', () => {
    expect(said({ entry: 0 })['Svc-Workflow-Init']).toBe('true');
  });

  it.each([
    ['callResult', 'fromCallback'],
    ['failureCallback', 'failureCall'],
  ] as const)('is no version where it delivers none: %s', (role, callType) => {
    expect(said({ role, entry: -1 })).toEqual({
      ...always,
      'Svc-Workflow-Init': 'false',
      'Svc-Workflow-CallType': callType,
    });
  });

  it('is nothing to a third party', () => {
    expect(said({ role: 'call', entry: -1 })).toEqual({});
  });

  it('is in the dialect of the run', () => {
    expect(said({}, 'Upstash-')['Upstash-Workflow-RunId']).toBe('wfr_1');
  });
});
