import {
  accept,
  type Command,
  type Decider,
  type DomainEvent,
} from '../../../src/engine/decider.js';
import type { Engine } from '../../../src/engine/engine.js';
import { EventCodec } from '../../../src/engine/event-codec.js';
import {
  Caller,
  type Principal,
  principalTerm,
  workFor,
} from '../../../src/engine/principal/principal.js';
import {
  principalFilter,
  principalObject,
  shownPrincipal,
} from '../../../src/engine/principal/shown-principal.js';
import { type EngineOnDisk, openEngine } from '../../support/engine.js';
import { envelope } from '../../support/envelope.js';
import { storedRecord } from '../../support/stored-record.js';

interface Pass extends Command {
  /** Where it is passed on; empty = it ends here. */
  readonly on: readonly string[];
}
interface Passed extends DomainEvent {
  readonly type: 'Passed';
  readonly on: readonly string[];
}

/** Whatever happens to one stream also happens to the next. */
const passDecider: Decider<number, Pass, Passed> = {
  kind: 'pass',
  events: { Passed: [] },
  initialState: () => 0,
  decide: ({ on }) => accept([{ type: 'Passed', on }], null, Buffer.from('body')),
  evolve: (count) => count + 1,
  react: ({ event: { on }, at }) => {
    const [next, ...rest] = on;
    return next === undefined ? [] : [pass(next, rest, at)];
  },
  wants: () => [],
  isFinal: () => false,
};

function pass(id: string, on: readonly string[] = [], at = 0): Pass {
  return { type: 'Pass', kind: 'pass', id, at, on };
}

const fill = (engine: Engine) => {
  engine.register({ decider: passDecider, view: null, folds: [] });
};

let opened: EngineOnDisk;

beforeEach(async () => {
  opened = await openEngine(fill);
});

/** Streams and the principals of their events, as the journal has them after a restart. */
async function stored(): Promise<readonly (readonly [string, string])[]> {
  await opened.close();
  opened = await openEngine(fill, opened.directory);
  const causes: [string, string][] = [];
  for await (const envelopes of opened.journal.replay()) {
    for (const { id, by, body } of envelopes) {
      causes.push([id, shownPrincipal(by)]);
      expect(body).toEqual(Buffer.from('body'));
    }
  }
  return causes;
}

const caller = new Caller('token:deploy', '203.0.113.7', 'k3-1');

describe('who caused an event', () => {
  it('is the request, for all streams that its turn changes', async () => {
    await opened.engine.dispatch([pass('a', ['b', 'c'])], caller);
    await opened.engine.dispatchTogether([pass('d'), pass('e', ['f'])], caller);
    const cause = 'token:deploy@203.0.113.7/k3-1';
    expect(await stored()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => [id, cause]));
  });

  it('is the stream that led to a reaction of the server', async () => {
    await opened.engine.dispatch([pass('a', ['b', 'c', 'a']), pass('d', ['e'])]);
    expect(await stored()).toEqual([
      ['a', 'server'],
      ['d', 'server'],
      ['b', 'server(pass/a)'],
      ['e', 'server(pass/d)'],
      ['c', 'server(pass/a)'],
      ['a', 'server'],
    ]);
  });

  it('is the stream that the server acted for, if that is recorded', async () => {
    await opened.engine.dispatch([pass('a', ['b'])], workFor('schedule', 'daily/1'));
    const cause = 'server(schedule/daily/1)';
    expect(await stored()).toEqual([
      ['a', cause],
      ['b', cause],
    ]);
  });

  it('is shown alike to live observers and to readers of the journal', async () => {
    const seen: Principal[] = [];
    opened.engine.observe(['pass'], (envelopes) => {
      for (const { by } of envelopes) if (by !== null) seen.push(by);
    });
    await opened.engine.dispatch([pass('a')], caller);
    await opened.engine.dispatch([pass('a', ['b'])]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.map(shownPrincipal)).toEqual((await stored()).map(([, cause]) => cause));
  });

  it('is found by the name of the credential', async () => {
    await opened.engine.dispatch([pass('a', ['b'])], caller);
    await opened.engine.dispatch([pass('c')], new Caller('env:1', '::1', 'k3-2'));
    await opened.engine.dispatch([pass('d')], new Caller(null, '::1', 'k3-3'));
    await opened.engine.dispatch([pass('e')]);
    const { journal } = opened;
    const ids = async (name: string) => {
      const found: string[] = [];
      const range = { from: 0, until: journal.endOffset, order: 'oldest' as const };
      const terms = [[principalTerm(name)]];
      for await (const { id } of journal.query({ ...range, terms })) found.push(id);
      return found;
    };
    expect(await ids('token:deploy')).toEqual(['a', 'b']);
    expect(await ids('env:1')).toEqual(['c']);
    expect(await ids('token:other')).toEqual([]);
  });

  it('is not known for events that were stored before it was recorded', () => {
    const codec = new EventCodec();
    const record = codec.encode(envelope({ type: 'Happened' }, { by: null }), []);
    expect(record.headers).toEqual([]);
    const read = codec.decode(storedRecord(record));
    expect([read?.by, shownPrincipal(read?.by ?? null)]).toEqual([null, 'unknown']);
  });

  it.each([
    ['REST with blanks', '::1', 'trace-1'],
    [null, '10.0.0.1', 'id'],
    ['käse', '', 'id'],
  ])('is kept as it is: %s from %s', (name, address, requestId) => {
    const codec = new EventCodec();
    const by = new Caller(name, address, requestId);
    const record = codec.encode(envelope({ type: 'Happened' }, { by }), []);
    const read = codec.decode(storedRecord(record));
    expect(principalObject(read?.by ?? null)).toEqual({ name, address, requestId });
  });
});

describe('a filter by principal', () => {
  const all: readonly (Principal | null)[] = [
    null,
    caller,
    new Caller(null, '::1', 'k3-2'),
    workFor('schedule', 'daily'),
    new Caller('rest:team/a', '::1', 'k3-3'),
    workFor('origin', 'https://example.com'),
  ];
  it.each([
    ['unknown', [0], null],
    ['token:deploy', [1], 'by:token:deploy'],
    ['server', [3, 5], null],
    ['schedule/daily', [3], null],
    ['rest:team/a', [4], 'by:rest:team/a'],
    ['origin/https://example.com', [5], null],
    ['token:other', [], 'by:token:other'],
  ])('%s', (text, matching, term) => {
    const filter = principalFilter(text);
    expect(all.flatMap((by, index) => (filter.matches(by) ? [index] : []))).toEqual(matching);
    expect(filter.term).toBe(term);
  });
});
