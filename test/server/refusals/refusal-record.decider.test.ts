import { refusalRecordDecider } from '../../../src/server/refusals/refusal-record.decider.js';
import { epochMs, given } from '../../support/given.js';

const address = { kind: 'refused-requests', id: '203.0.113.7', at: epochMs };

describe('a refused request', () => {
  it('is remembered by its reason and its route, and its stream ends at once', () => {
    const refused = { reason: 'unknown', method: 'GET', route: '/v2/queues' } as const;
    const { events, isFinal } = given(refusalRecordDecider, null).when({
      type: 'RecordRefusal',
      ...address,
      ...refused,
    });
    expect([events, isFinal]).toEqual([[{ type: 'RequestRefused', ...refused }], true]);
  });

  it('is only counted if there are many', () => {
    const counted = { count: 7, since: epochMs } as const;
    const { events } = given(refusalRecordDecider, null).when({
      type: 'CountRefusals',
      ...address,
      ...counted,
    });
    expect(events).toEqual([{ type: 'RefusalsCounted', ...counted }]);
  });
});
