import fc from 'fast-check';
import type {
  EndpointMatch,
  UrlGroupCommand,
} from '../../../src/messaging/url-groups/url-group.commands.js';
import {
  endpointsMax,
  urlGroupDecider,
} from '../../../src/messaging/url-groups/url-group.decider.js';
import type {
  UrlGroupEndpoint,
  UrlGroupEvent,
} from '../../../src/messaging/url-groups/url-group.events.js';
import { epochMs, given } from '../../support/given.js';

const address = { kind: 'url-group', id: 'it', at: epochMs + 60_000 };
const endpoint = (url: string, name: string | null = null): UrlGroupEndpoint => ({ url, name });
const upsert = (...endpoints: UrlGroupEndpoint[]): UrlGroupCommand => ({
  ...address,
  type: 'UpsertEndpoints',
  endpoints,
});
const removal = (...endpoints: EndpointMatch[]): UrlGroupCommand => ({
  ...address,
  type: 'RemoveEndpoints',
  endpoints,
});
const setHeaders = (...headers: string[]): UrlGroupCommand => ({
  ...address,
  type: 'SetGroupHeaders',
  headers,
});
const deletion: UrlGroupCommand = { ...address, type: 'DeleteUrlGroup' };
const upserted = (...endpoints: UrlGroupEndpoint[]): UrlGroupEvent => ({
  type: 'EndpointsUpserted',
  endpoints,
});
const group = (...history: UrlGroupEvent[]) => given(urlGroupDecider, null, ...history);

const [a, b] = [endpoint('https://a.example', 'a'), endpoint('https://b.example')];

describe('a URL group that does not exist', () => {
  it('is created by its first endpoints', () => {
    const { events, state, isFinal } = group().when(upsert(a, b));
    expect(events).toEqual([upserted(a, b)]);
    expect(state?.endpoints).toEqual([a, b]);
    expect(isFinal).toBe(false);
  });

  it('has no headers to set', () => {
    expect(group().when(setHeaders('A', '1')).rejected?.code).toBe('not_found');
  });

  it('can be deleted, but has no endpoints to remove', () => {
    expect(group().when(deletion).events).toEqual([]);
    const { rejected } = group().when(removal({ url: a.url, name: null }));
    expect(rejected?.code).toBe('not_found');
  });
});

describe('a URL group', () => {
  it.each<[string, UrlGroupEndpoint, UrlGroupEndpoint[]]>([
    [
      'a new URL for a name',
      endpoint('https://c.example', 'a'),
      [endpoint('https://c.example', 'a'), b],
    ],
    ['a name for a URL', endpoint(b.url, 'b'), [a, endpoint(b.url, 'b')]],
    ['a new name for a URL', endpoint(a.url, 'c'), [endpoint(a.url, 'c'), b]],
    ['the name of one for the URL of another', endpoint(b.url, 'a'), [endpoint(b.url, 'a')]],
    ['one more', endpoint('https://c.example'), [a, b, endpoint('https://c.example')]],
  ])('accepts %s', (_what, added, after) => {
    expect(group(upserted(a, b)).when(upsert(added)).state?.endpoints).toEqual(after);
  });

  it('keeps a name when its URL is added again without one', () => {
    expect(group(upserted(a, b)).when(upsert(endpoint(a.url))).events).toEqual([]);
  });

  it.each<[string, EndpointMatch, UrlGroupEndpoint[]]>([
    ['its URL', { url: a.url, name: null }, [b]],
    ['its name', { url: null, name: 'a' }, [b]],
    ['both', { url: a.url, name: 'a' }, [b]],
  ])('loses an endpoint by %s', (_what, match, after) => {
    expect(group(upserted(a, b)).when(removal(match)).state?.endpoints).toEqual(after);
  });

  it('loses none if one of both is wrong', () => {
    const { rejected } = group(upserted(a, b)).when(removal({ url: a.url, name: 'x' }));
    expect(rejected?.code).toBe('not_found');
  });

  it('disappears with its last endpoint, including its headers', () => {
    const history = [upserted(a), { type: 'GroupHeadersSet', headers: ['A', '1'] } as const];
    const { isFinal } = group(...history).when(removal({ url: null, name: 'a' }));
    expect(isFinal).toBe(true);
  });

  it('disappears when it is deleted', () => {
    const { events, isFinal } = group(upserted(a, b)).when(deletion);
    expect(events).toEqual([{ type: 'UrlGroupDeleted' }]);
    expect(isFinal).toBe(true);
  });

  it('has its default headers replaced only once', () => {
    const set: UrlGroupEvent = { type: 'GroupHeadersSet', headers: ['A', '1'] };
    expect(group(upserted(a)).when(setHeaders('A', '1')).events).toEqual([set]);
    expect(group(upserted(a), set).when(setHeaders('A', '1')).events).toEqual([]);
    expect(group(upserted(a), set).when(setHeaders()).state?.headers).toEqual([]);
  });

  it('remembers when it was created and last changed', () => {
    expect(group(upserted(a), upserted(b)).state).toMatchObject({
      createdAt: epochMs,
      updatedAt: epochMs + 1000,
    });
  });

  it('has at most a thousand endpoints', () => {
    const many = (count: number, from = 0) =>
      Array.from({ length: count }, (_, index) => endpoint(`https://e.example/${from + index}`));
    expect(group().when(upsert(...many(endpointsMax))).events).toHaveLength(1);
    expect(group().when(upsert(...many(endpointsMax + 1))).rejected?.code).toBe('over_limit');
    const full = group(upserted(...many(endpointsMax)));
    expect(full.when(upsert(a)).rejected?.code).toBe('over_limit');
    expect(full.when(upsert(endpoint('https://e.example/7', 'seven'))).events).toHaveLength(1);
  });
});

describe('any history of commands', () => {
  const url = fc.constantFrom('https://a.example', 'https://b.example', 'https://c.example');
  const name = fc.constantFrom(null, 'a', 'b', 'c');
  const command = fc.oneof(
    fc
      .array(fc.record({ url, name }), { minLength: 1, maxLength: 4 })
      .map((endpoints) => upsert(...endpoints)),
    fc
      .array(fc.record({ url: fc.option(url), name }), { minLength: 1, maxLength: 2 })
      .map((endpoints) => removal(...endpoints)),
    fc.constant(deletion),
  );

  it('never has two endpoints with one URL or one name, and repeats no event', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 20 }), (commands) => {
        const history: UrlGroupEvent[] = [];
        for (const each of commands) {
          const { events = [] } = group(...history).when(each);
          history.push(...events);
          const after = group(...history);
          const { endpoints } = after.state;
          const names = endpoints.flatMap((one) => one.name ?? []);
          expect(new Set(endpoints.map((one) => one.url)).size).toBe(endpoints.length);
          expect(new Set(names).size).toBe(names.length);
          if (each.type !== 'UpsertEndpoints') expect(after.when(each).events ?? []).toEqual([]);
        }
      }),
    );
  });
});
