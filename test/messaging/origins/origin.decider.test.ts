import { originDecider } from '../../../src/messaging/origins/origin.decider.js';
import type { OriginEvent } from '../../../src/messaging/origins/origin.events.js';
import { epochMs, given } from '../../support/given.js';

const address = { kind: 'origin', id: 'https://a.example', at: epochMs };
const pause = { type: 'PauseOrigin', ...address } as const;
const resume = { type: 'ResumeOrigin', ...address } as const;
const paused: OriginEvent = { type: 'OriginPaused' };
const resumed: OriginEvent = { type: 'OriginResumed' };
const none = { size: 0 };

describe('an origin', () => {
  it('is paused only once, and its time is recorded', () => {
    expect(given(originDecider, none).when(pause)).toMatchObject({
      events: [paused],
      state: { pausedAt: epochMs },
    });
    expect(given(originDecider, none, paused).when(pause).events).toEqual([]);
  });

  it('leaves no state when it is resumed, and can be paused again', () => {
    expect(given(originDecider, none, paused).when(resume)).toMatchObject({
      events: [resumed],
      state: null,
      isFinal: true,
    });
    expect(given(originDecider, none, paused, resumed).when(pause).events).toEqual([paused]);
  });

  it('cannot be resumed if it is not paused', () => {
    expect(given(originDecider, none).when(resume).rejected).toEqual({
      code: 'not_found',
      message: 'paused origin https://a.example not found',
    });
  });

  it('cannot be paused if 1,000 others are', () => {
    expect(given(originDecider, { size: 1000 }).when(pause).rejected?.code).toBe('conflict');
  });
});
