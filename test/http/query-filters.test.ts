import fc from 'fast-check';
import {
  count,
  type FilterReader,
  integer,
  integers,
  type KnownFilters,
  matchesUrl,
  names,
  oneOf,
  order,
  readFilters,
  text,
  texts,
  urls,
} from '../../src/http/query-filters.js';

const known = {
  label: names,
  url: texts,
  callerIp: names,
  fromDate: integer,
  responseStatus: integers,
  count: count(100, 500),
  cursor: text,
  order,
  state: oneOf('open', 'closed'),
} as const;

const read = (query: string, body?: unknown) =>
  readFilters(
    `/v2/dlq${query}`,
    known,
    body === undefined
      ? undefined
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  );

const nothing = {
  label: null,
  url: null,
  callerIp: null,
  fromDate: null,
  responseStatus: null,
  count: 100,
  cursor: null,
  order: 'latestFirst',
  state: null,
};

const accepted = (query: string, body?: unknown) => {
  const filters = read(query, body);
  if (!filters.ok) throw new Error(filters.message);
  return filters.value;
};

const reasonOf = (query: string, body?: unknown) => {
  const filters = read(query, body);
  return filters.ok ? undefined : filters.message;
};

describe('filters of a query', () => {
  it.each(['', '?', '?&&'])('match everything if there are none: "%s"', (query) => {
    expect(accepted(query)).toEqual(nothing);
  });

  it('are given one by one, separated by commas, or both', () => {
    expect(accepted('?label=a&label=b,%20c').label).toEqual(['a', 'b', 'c']);
    expect(accepted('?responseStatus=404,500&responseStatus=0').responseStatus).toEqual([
      404, 500, 0,
    ]);
  });

  it('keep the commas of a URL', () => {
    expect(accepted('?url=https%3A%2F%2Fa.test%2F%3Fx%3D1%2C2&url=https://b.test').url).toEqual([
      'https://a.test/?x=1,2',
      'https://b.test',
    ]);
  });

  it('may contain an equals sign, a plus for a blank, and any UTF-8', () => {
    expect(accepted('?cursor=a=b+c%C3%B6').cursor).toBe('a=b cö');
  });

  it('accept both spellings of the caller address', () => {
    expect(accepted('?callerIP=10.0.0.1&callerIp=::1').callerIp).toEqual(['10.0.0.1', '::1']);
  });

  it('ignore a bearer token', () => {
    expect(accepted('?token=secret&label=a&qstash_token=secret')).toEqual({
      ...nothing,
      label: ['a'],
    });
  });

  it('use the limit if more is requested', () => {
    expect(accepted('?count=7').count).toBe(7);
    expect(accepted('?count=501').count).toBe(500);
  });

  it.each([
    ['?labeel=a', '"labeel"'],
    ['?__proto__=a', '"__proto__"'],
    ['?constructor=a', '"constructor"'],
    ['?Label=a', '"Label"'],
    ['?label', 'label is empty'],
    ['?label=', 'label is empty'],
    ['?label=a&label=', 'label is empty'],
    ['?label=a,,b', 'label names nothing'],
    ['?label=,', 'label names nothing'],
    ['?fromDate=soon', 'fromDate must be a whole number'],
    ['?fromDate=-1', 'fromDate must be a whole number'],
    ['?fromDate=1.5', 'fromDate must be a whole number'],
    ['?fromDate=9999999999999999', 'fromDate must be a whole number'],
    ['?fromDate=1&fromDate=2', 'fromDate is given more than once'],
    ['?responseStatus=404,x', 'responseStatus must be a whole number'],
    ['?count=0', 'count must be at least 1'],
    ['?count=ten', 'count must be a whole number'],
    ['?cursor=a&cursor=b', 'cursor is given more than once'],
    ['?order=sideways', 'order must be latestFirst or earliestFirst'],
    ['?state=ajar', 'state must be open or closed'],
    ['?label=%ff', 'UTF-8'],
    ['?%ff=a', 'UTF-8'],
  ])('refuse %s and name the error', (query, reason) => {
    expect(reasonOf(query)).toContain(reason);
  });
});

describe('filters of a body', () => {
  it('are texts, numbers or arrays of them', () => {
    expect(
      accepted('?order=earliestFirst', { label: ['a', 'b,c'], fromDate: 5, count: '3' }),
    ).toEqual({
      ...nothing,
      label: ['a', 'b', 'c'],
      fromDate: 5,
      count: 3,
      order: 'earliestFirst',
    });
  });

  it('are added to those of the query', () => {
    expect(accepted('?label=a', { label: 'b' }).label).toEqual(['a', 'b']);
  });

  it('are absent if the body is empty', () => {
    expect(accepted('', '')).toEqual(nothing);
    expect(accepted('', {})).toEqual(nothing);
  });

  it.each([
    [{ labeel: 'a' }, '"labeel"'],
    [{ label: [] }, 'label is empty'],
    [{ label: null }, 'label must be'],
    [{ label: [['a']] }, 'label must be'],
    [{ label: { a: 1 } }, 'label must be'],
    [{ fromDate: true }, 'fromDate must be'],
    [{ fromDate: 1.5 }, 'fromDate must be'],
    [['a'], 'object of filters'],
    ['null', 'object of filters'],
    ['"a"', 'object of filters'],
    ['{', 'not valid JSON'],
  ])('refuse %j', (body, reason) => {
    expect(reasonOf('', body)).toContain(reason);
  });
});

describe('URLs', () => {
  it.each([
    ['http://a.example/x?y=1', ['http://a.example/x?y=1']],
    ['HTTP://A.example:80/../x', ['HTTP://A.example:80/../x', 'http://a.example/../x']],
    ['http://a.example/ä', ['http://a.example/ä', 'http://a.example/%C3%A4']],
    ['no URL', ['no URL']],
  ])('match %s as written and as called', (written, selected) => {
    const filters = readFilters(`/x?url=${encodeURIComponent(written)}`, { url: urls });
    expect(filters).toEqual({ ok: true, value: { url: selected } });
  });
});

describe('any filters', () => {
  const values = fc.array(fc.string({ minLength: 1, unit: 'binary' }), {
    minLength: 1,
    maxLength: 5,
  });
  const readers: Record<string, FilterReader<unknown>> = { a: texts, b: texts, c: texts };

  it('are read back as they were written', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), values), (written) => {
        const query = Object.entries(written)
          .flatMap(([name, all]) => all.map((value) => [name, value]))
          .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`)
          .join('&');
        const filters = readFilters(`/x?${query}`, readers);
        expect(filters).toEqual({
          ok: true,
          value: { a: null, b: null, c: null, ...written },
        });
      }),
    );
  });

  it('with an unknown name are refused, whatever else is given', () => {
    const name = fc.string({ minLength: 1 }).filter((each) => !Object.hasOwn(known, each));
    fc.assert(
      fc.property(name, fc.string(), fc.boolean(), (unknown, value, isFirst) => {
        fc.pre(!['token', 'qstash_token', 'callerIP'].includes(unknown));
        const strange = `${encodeURIComponent(unknown)}=${encodeURIComponent(value)}`;
        const query = isFirst ? `?${strange}&label=a` : `?label=a&${strange}`;
        expect(readFilters(`/x${query}`, known as KnownFilters).ok).toBe(false);
      }),
    );
  });

  it('have at most 16384 values, as each item is compared with all of them', () => {
    const some = Array.from({ length: 16_384 }, (_, index) => `v${index}`);
    const more = [...some, 'more'];
    const message = 'label has more than 16384 values';
    expect(read('', { label: some }).ok).toBe(true);
    expect(read(`?label=${some.join(',')}`).ok).toBe(true);
    expect(read('', { label: more })).toMatchObject({ code: 'invalid', message });
    expect(read(`?label=${more.join(',')}`)).toMatchObject({ code: 'invalid', message });
    expect(read('', { url: more })).toMatchObject({ code: 'invalid' });
  });

  it('never throw', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (target, body) => {
        readFilters(`/x?${target}`, known, Buffer.from(body));
      }),
    );
  });
});

describe('a destination', () => {
  const anywhere = { url: null, host: null, path: null };
  const destination = 'https://Example.com:8443/a/b?x=1';

  it.each([
    [anywhere, true],
    [{ ...anywhere, url: ['https://other.test', destination] }, true],
    [{ ...anywhere, url: ['https://example.com:8443/a/b?x=1'] }, false],
    [{ ...anywhere, host: ['example.com'] }, true],
    [{ ...anywhere, host: ['EXAMPLE.com:8443'] }, true],
    [{ ...anywhere, host: ['example.com:443'] }, false],
    [{ ...anywhere, host: ['ample.com'] }, false],
    [{ ...anywhere, path: ['/a/b'] }, true],
    [{ ...anywhere, path: ['/a'] }, false],
    [{ ...anywhere, host: ['example.com'], path: ['/c', '/a/b'] }, true],
    [{ ...anywhere, host: ['other.test'], path: ['/a/b'] }, false],
  ])('matches %j: %j', (filters, matches) => {
    expect(matchesUrl(destination, filters)).toBe(matches);
  });
});
