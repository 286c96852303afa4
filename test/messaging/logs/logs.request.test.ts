import { cursorAt } from '../../../src/http/cursor.js';
import { parseLogQuery } from '../../../src/messaging/logs/logs.request.js';
import { anyOrigin } from '../../support/origin-filters.js';

const read = (query: string) => {
  const parsed = parseLogQuery(`/v2/logs?${query}`);
  return parsed.ok ? parsed.value : parsed.message;
};

describe('a query of the logs', () => {
  it('asks for the newest hundred rows by default', () => {
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

  it('may name ids and labels repeatedly or separated by commas', () => {
    expect(read('messageIds=a&messageIds=b,c&label=x&label=y')).toMatchObject({
      messageIds: ['a', 'b', 'c'],
      label: ['x', 'y'],
    });
  });

  it('asks for the ids that both spellings name', () => {
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

  it.each([-1, 0, 2048])('may ask for %d bytes of each body', (bytes) => {
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
  ])('is refused for %s, naming the parameter', (query, name) => {
    expect(read(query)).toEqual(expect.stringContaining(name));
  });

  it('asks for at most a thousand rows', () => {
    expect(read('count=5000')).toMatchObject({ count: 1000 });
  });
});
