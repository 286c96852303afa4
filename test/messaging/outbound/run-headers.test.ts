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

describe('the run headers of a delivery', () => {
  it('name the version of the protocol if it delivers entries', () => {
    expect(said({ entry: 3 })).toEqual({
      ...always,
      'Svc-Workflow-Init': 'false',
      'Svc-Workflow-Sdk-Version': '1',
    });
  });

  it('say that the run begins if it delivers the first entry', () => {
    expect(said({ entry: 0 })['Svc-Workflow-Init']).toBe('true');
  });

  it.each([
    ['callResult', 'fromCallback'],
    ['failureCallback', 'failureCall'],
  ] as const)('name no version if it delivers no entries: %s', (role, callType) => {
    expect(said({ role, entry: -1 })).toEqual({
      ...always,
      'Svc-Workflow-Init': 'false',
      'Svc-Workflow-CallType': callType,
    });
  });

  it('are absent for a third party', () => {
    expect(said({ role: 'call', entry: -1 })).toEqual({});
  });

  it('are in the dialect of the run', () => {
    expect(said({}, 'Upstash-')['Upstash-Workflow-RunId']).toBe('wfr_1');
  });
});
