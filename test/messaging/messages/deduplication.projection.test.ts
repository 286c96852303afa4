import { TurnChanges } from '../../../src/engine/turn-changes.js';
import {
  DeduplicationIndex,
  deduplicationWindowMs,
} from '../../../src/messaging/messages/deduplication.projection.js';
import { envelope } from '../../support/envelope.js';
import { messageOptions } from '../../support/message-options.js';
import { forget } from '../../support/swept-history.js';

let index: DeduplicationIndex;

beforeEach(() => {
  index = new DeduplicationIndex();
});

type Options = Parameters<typeof messageOptions>[0];

const publish = (id: string, at: number, options: Options, changes = new TurnChanges()) =>
  index.evolve(
    envelope({ type: 'MessagePublished' as const, ...messageOptions(options) }, { id, at }),
    changes,
  );
const key = { deduplicationKey: 'once' };
const find = (at: number, options: Options = key) => index.find(messageOptions(options), at);

describe('a publish', () => {
  it('repeats one of the last ten minutes that has its key, wherever it goes', () => {
    publish('msg_1', 0, key);
    expect(find(deduplicationWindowMs - 1)).toBe('msg_1');
    expect(find(deduplicationWindowMs)).toBeUndefined();
    expect(find(1, { ...key, url: 'https://example.com/other' })).toBe('msg_1');
    expect(find(1, { deduplicationKey: 'another' })).toBeUndefined();
  });

  it('without a key repeats nothing', () => {
    publish('msg_1', 0, {});
    expect(find(0, {})).toBeUndefined();
  });

  it('to a group repeats what went to the same endpoint of it', () => {
    const toGroup = (url: string) => ({ ...key, topicName: 'team', url });
    publish('msg_1', 0, toGroup('https://a.example'));
    expect(find(1, toGroup('https://a.example'))).toBe('msg_1');
    expect(find(1, toGroup('https://b.example'))).toBeUndefined();
    expect(find(1)).toBeUndefined();
  });

  it('begins ten minutes anew once the first ones are over', () => {
    publish('msg_1', 0, key);
    publish('msg_2', deduplicationWindowMs, key);
    expect(find(2 * deduplicationWindowMs - 1)).toBe('msg_2');
  });

  it('is forgotten when it is over', () => {
    publish('msg_1', 0, { deduplicationKey: 'old' });
    publish('msg_2', 1, { deduplicationKey: 'young' });
    forget(index.memory, deduplicationWindowMs);
    // Asked as of the past, it would still be known.
    expect(find(0, { deduplicationKey: 'old' })).toBeUndefined();
    expect(find(1, { deduplicationKey: 'young' })).toBe('msg_2');
  });

  it('stays known where the clock was ahead for a moment, and what came in it does not', () => {
    publish('msg_1', 0, key);
    const other = { deduplicationKey: 'another' };
    publish('msg_2', 1000 * deduplicationWindowMs, other);
    expect(find(1)).toBe('msg_1');
    expect(find(1, other)).toBeUndefined();
    forget(index.memory, 1);
    expect(find(1)).toBe('msg_1');
    expect(find(1000 * deduplicationWindowMs, other)).toBeUndefined();
  });

  it('is as if it had never been when its turn is taken back', () => {
    publish('msg_1', 0, key);
    const changes = new TurnChanges();
    publish('msg_2', deduplicationWindowMs, key, changes);
    changes.revert();
    expect(find(1)).toBe('msg_1');
    expect(find(deduplicationWindowMs)).toBeUndefined();
  });
});
