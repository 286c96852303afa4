import { cursorAt } from '../../../src/http/cursor.js';
import { parseLogQuery } from '../../../src/messaging/logs/logs.request.js';
import { anyOrigin } from '../../support/origin-filters.js';

const read = (query: string) => {
  const parsed = parseLogQuery(`/v2/logs?${query}`);
  return parsed.ok ? parsed.value : parsed.message;
};

describe('a question to the logs', () => {
  it('is for the newest hundred rows where it says nothing', () => {
    expect(read('')).toEqual({
      ...anyOrigin,
      messageIds: null,
      contains: null,
      states: null,
      host: null,
      path: null,
      count: 100,
      order: 'latestFirst',
      cursor: null,
      trimBody: null,
    });
  });

  it('may name ids and labels again and again, or with commas', () => {
    expect(read('messageIds=a&messageIds=b,c&label=x&label=y')).toMatchObject({
      messageIds: ['a', 'b', 'c'],
      label: ['x', 'y'],
    });
  });

  it('means the ids that both spellings name', () => {
    expect(read('messageId=a&messageIds=a,b')).toMatchObject({ messageIds: ['a'] });
    expect(read('messageId=c&messageIds=a,b')).toMatchObject({ messageIds: [] });
  });

  it.each([
    ['DELIVERED', ['DELIVERED']],
    ['CANCELED', ['CANCELED']],
    ['CANCELLED', ['CANCELED']],
    ['IN_PROGRESS', ['ACTIVE', 'RETRY', 'ERROR']],
    ['CREATED&state=FAILED', ['CREATED', 'FAILED']],
  ])('understands the state %s', (state, states) => {
    expect(read(`state=${state}`)).toMatchObject({ states: new Set(states) });
  });

  it.each([-1, 0, 2048])('may be for rows with %d bytes of each body', (bytes) => {
    expect(read(`trimBody=${bytes}`)).toMatchObject({ trimBody: bytes });
  });

  it.each([
    ['labeel=x', 'labeel'],
    ['state=DONE', 'state'],
    ['count=0', 'count'],
    ['count=-1', 'count'],
    ['count=many', 'count'],
    ['cursor=here', 'cursor'],
    [`cursor=${cursorAt('1-9')}`, 'cursor'],
    ['order=random', 'order'],
    ['trimBody=-2', 'trimBody'],
    ['trimBody=1&trimBody=2', 'trimBody'],
    ['fromDate=today', 'fromDate'],
    ['groupBy=messageId', 'groupBy'],
    ['label=%ff', 'query'],
  ])('is refused for %s, naming it', (query, name) => {
    expect(read(query)).toEqual(expect.stringContaining(name));
  });

  it('is for at most a thousand rows', () => {
    expect(read('count=5000')).toMatchObject({ count: 1000 });
  });
});
