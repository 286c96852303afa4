import type { MessageEvent } from '../../../src/messaging/messages/message.events.js';
import { MessageEnds } from '../../../src/topics/pushes/message-ends.js';
import { envelope } from '../../support/envelope.js';

const pending = new Set<string>();
const ends = () => new MessageEnds(pending);

const event = (id: string) => envelope<MessageEvent>({ type: 'MessageCanceled' }, { id });

beforeEach(() => {
  pending.clear();
  for (const id of ['a', 'b']) pending.add(id);
});

describe('a push that waits for messages to be final', () => {
  it('is woken once, when the last of them is', () => {
    const all = ends();
    let woken = 0;
    all.whenFinal(['a', 'b'], () => {
      woken += 1;
    });
    all.listener([event('a'), event('b')]); // of a retry: both go on
    expect(woken).toBe(0);
    pending.delete('a');
    all.listener([event('a'), event('b')]);
    expect(woken).toBe(0);
    pending.delete('b');
    all.listener([event('b'), event('b'), event('a')]);
    expect(woken).toBe(1);
  });

  it('is woken at once if they are final already, or there are none', () => {
    const all = ends();
    const woken: string[] = [];
    all.whenFinal(['gone'], () => woken.push('gone'));
    all.whenFinal([], () => woken.push('none'));
    expect(woken).toEqual(['gone', 'none']);
  });

  it('is not woken after it was stopped', () => {
    const all = ends();
    let woken = 0;
    const cancel = all.whenFinal(['a', 'b'], () => {
      woken += 1;
    });
    pending.delete('a');
    all.listener([event('a')]);
    cancel();
    pending.delete('b');
    all.listener([event('b')]);
    expect(woken).toBe(0);
  });
});
