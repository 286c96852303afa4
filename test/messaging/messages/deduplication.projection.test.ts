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

  it('to a group repeats a publish to the same endpoint of the group', () => {
    const toGroup = (url: string) => ({ ...key, topicName: 'team', url });
    publish('msg_1', 0, toGroup('https://a.example'));
    expect(find(1, toGroup('https://a.example'))).toBe('msg_1');
    expect(find(1, toGroup('https://b.example'))).toBeUndefined();
    expect(find(1)).toBeUndefined();
  });

  it('begins a new window once the first ten minutes are over', () => {
    publish('msg_1', 0, key);
    publish('msg_2', deduplicationWindowMs, key);
    expect(find(2 * deduplicationWindowMs - 1)).toBe('msg_2');
  });

  it('is forgotten when its window is over', () => {
    publish('msg_1', 0, { deduplicationKey: 'old' });
    publish('msg_2', 1, { deduplicationKey: 'young' });
    forget(index.memory, deduplicationWindowMs);
    // Asked as of the past, it would still be known.
    expect(find(0, { deduplicationKey: 'old' })).toBeUndefined();
    expect(find(1, { deduplicationKey: 'young' })).toBe('msg_2');
  });

  it('stays known if the clock was briefly ahead; a publish of that time does not', () => {
    publish('msg_1', 0, key);
    const other = { deduplicationKey: 'another' };
    publish('msg_2', 1000 * deduplicationWindowMs, other);
    expect(find(1)).toBe('msg_1');
    expect(find(1, other)).toBeUndefined();
    forget(index.memory, 1);
    expect(find(1)).toBe('msg_1');
    expect(find(1000 * deduplicationWindowMs, other)).toBeUndefined();
  });

  it('leaves no trace when its turn is rolled back', () => {
    publish('msg_1', 0, key);
    const changes = new TurnChanges();
    publish('msg_2', deduplicationWindowMs, key, changes);
    changes.revert();
    expect(find(1)).toBe('msg_1');
    expect(find(deduplicationWindowMs)).toBeUndefined();
  });
});
