import {
  type ActiveRunIds,
  eventIn,
  notifiedIn,
  webhooksIn,
} from '../../../src/workflows/events/event-path.js';

const waits: Readonly<Record<string, string>> = {
  ...{ active: 'paid', 'my/run': 'paid', '/run': 'paid', 'wfr_a/b': 'paid' },
  ...{ 'order-1': 'paid', 'order-1/again': 'paid', 'order-1/again/2': 'x/paid' },
};
const runs: ActiveRunIds = {
  isActive: (runId) => runId in waits,
  waitsFor: (runId, eventId) => waits[runId] === eventId,
};

describe('a path of an event', () => {
  it.each([
    ['/v2/wait/event', 'event'],
    ['/v2/wait/event?token=x', 'event'],
    ['/v2/wait/a/b/c', 'a/b/c'],
    ['/v2/wait//a', '/a'],
    ['/v2/wait/a/', 'a/'],
    ['/v2/wait/e%201%2F2', 'e 1/2'],
    ['/v2/wait/%2525', '%25'],
    ['/v2/wait/wfr_1/a', 'wfr_1/a'],
  ])('%s names %s', (target, eventId) => {
    expect(eventIn(target, 2)).toEqual({ ok: true, value: eventId });
  });

  it.each(['/v2/wait', '/v2/wait/', '/v2/wait/?a=b', `/v2/wait/${'x'.repeat(2049)}`])(
    '%s names no event',
    (target) => {
      expect(eventIn(target, 2)).toMatchObject({
        ok: false,
        message: expect.stringMatching(/event id/),
      });
    },
  );
});

describe('a path of a notification', () => {
  it.each<[string, string | null, string]>([
    ['/v2/notify/event', null, 'event'],
    ['/v2/notify/a/b', null, 'a/b'],
    ['/v2/notify/wfr_1', null, 'wfr_1'],
    ['/v2/notify/wfr_1/event', 'wfr_1', 'event'],
    ['/v2/notify/wfr_1/a/b?x=1', 'wfr_1', 'a/b'],
    ['/v2/notify/active', null, 'active'],
    ['/v2/notify/active/event', 'active', 'event'],
    ['/v2/notify//active/event', null, '/active/event'],
    ['/v2/notify/my%2Frun/event', 'my/run', 'event'],
    ['/v2/notify/my/run/event', 'my/run', 'event'],
    ['/v2/notify/my/run/a/b', 'my/run', 'a/b'],
    ['/v2/notify/my/run', null, 'my/run'],
    ['/v2/notify//run/event', '/run', 'event'],
    ['/v2/notify/active/my/run/event', 'active', 'my/run/event'],
    ['/v2/notify/wfr_a/b/event', 'wfr_a/b', 'event'],
    ['/v2/notify/order-1/paid', 'order-1', 'paid'],
    ['/v2/notify/order-1/again/paid', 'order-1/again', 'paid'],
    ['/v2/notify/order-1/again/2/x/paid', 'order-1/again/2', 'x/paid'],
    ['/v2/notify/order-1/again/2/paid', 'order-1', 'again/2/paid'],
    ['/v2/notify/order-1%2Fagain/2/paid', 'order-1/again', '2/paid'],
    ['/v2/notify/wfr_a/c/event', 'wfr_a', 'c/event'],
    [`/v2/notify/${'x/'.repeat(40)}event`, null, `${'x/'.repeat(40)}event`],
    ['/v2/notify/wfr_my%2Frun/a%2Fb/c', 'wfr_my/run', 'a/b/c'],
    ['/v2/notify/wfr_1%2Fevent', null, 'wfr_1/event'],
  ])('%s names the run %s and the event %s', (target, runId, eventId) => {
    expect(notifiedIn(target, 2, runs)).toEqual({ ok: true, value: { runId, eventId } });
  });

  it.each(['/v2/notify', '/v2/notify/', '/v2/notify/wfr_1/', '/v2/notify/active/'])(
    '%s names no event',
    (target) => {
      expect(notifiedIn(target, 2, runs).ok).toBe(false);
    },
  );
});

describe('a path of a webhook', () => {
  it.each<[string, ...[string, string][]]>([
    ['wfr_1/event', ['wfr_1', 'event']],
    ['wfr_1/event?x=a/b', ['wfr_1', 'event']],
    ['wfr_a%20b/event%3F', ['wfr_a b', 'event?']],
    ['wfr_a%2Fb/event', ['wfr_a/b', 'event']],
    ['wfr_a/b/event', ['wfr_a', 'b/event'], ['wfr_a/b', 'event']],
    ['wfr_a/', ...[]],
    ['wfr_a//event', ['wfr_a', '/event'], ['wfr_a/', 'event']],
    ['/event', ['', 'event']],
    ['wfr_1', ...[]],
    [`wfr_1/${'x'.repeat(2049)}`, ...[]],
  ])('%s may mean %j', (tail, ...selected) => {
    expect(webhooksIn(`/v2/workflows/hooks/user/${tail}`, 4)).toEqual(
      selected.map(([runId, eventId]) => ({ runId, eventId })),
    );
  });

  it('is split only at a limited number of slashes', () => {
    const path = `/v2/workflows/hooks/user/${'x/'.repeat(4000)}event`;
    expect(webhooksIn(path, 4).length).toBeLessThan(40);
  });
});
