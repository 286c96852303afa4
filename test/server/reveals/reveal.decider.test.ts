import { revealDecider } from '../../../src/server/reveals/reveal.decider.js';
import { epochMs, given } from '../../support/given.js';

describe('a reveal', () => {
  it('is remembered with what it shows, and its stream ends at once', () => {
    const part = { what: 'events', stream: 'msg_1', from: 3, until: 9, bodies: true } as const;
    const { events, isFinal } = given(revealDecider, null).when({
      type: 'RecordReveal',
      ...{ kind: 'reveal', id: 'rest:admin', at: epochMs },
      ...part,
    });
    expect([events, isFinal]).toEqual([[{ type: 'JournalRevealed', ...part }], true]);
  });
});
