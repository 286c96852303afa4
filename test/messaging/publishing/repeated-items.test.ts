import fc from 'fast-check';
import { parseJson } from '../../../src/grammar/json.js';
import { ok, type Result, refused } from '../../../src/grammar/result.js';
import { bodyOf, parseBatch, saidIn } from '../../../src/messaging/publishing/batch.request.js';
import { RepeatedItem } from '../../../src/messaging/publishing/repeated-items.js';

/** A batch that is parsed like any JSON, whatever repeats in it. */
function parsedPlainly(body: Buffer): Result<readonly unknown[]> {
  const json = parseJson(body);
  if (!json.ok) return json;
  if (!Array.isArray(json.value)) return refused('the body is not an array of messages');
  return json.value.length > 0 ? ok(json.value) : refused('the batch is empty');
}

/** The content of an item, including its body, in the order of its fields. */
function whole(item: unknown): unknown {
  if (!(item instanceof RepeatedItem)) return item;
  return { ...(saidIn(item) as object), body: item.body.toString() };
}

function parsed(body: Buffer): Result<readonly unknown[]> {
  const items = parseBatch(body);
  return items.ok ? ok(items.value.map(whole)) : items;
}

/** JSON as clients write it: without blanks, as Python does, and over several lines. */
const written = (style: string, items: unknown): string => {
  if (style === 'lines') return JSON.stringify(items, null, 1);
  const text = JSON.stringify(items);
  // Blanks inside a text stay in it: they are the same in all forms.
  return style === 'blanks' ? text.replaceAll('":', '": ').replaceAll('},{', '}, {') : text;
};
const style = fc.constantFrom('plain', 'plain', 'blanks', 'lines');

const pad = 'x'.repeat(4096);
const text = fc.oneof(
  fc.constantFrom('', 'body', 'Grüße 🎈', '"', '\\', '\\"', '},{', '\n', '{"a":[1,"b"]}', '\u0000'),
  fc.string({ maxLength: 40 }),
);
const fields = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ destination: 'https://example.com' }) },
  fc.record({ destination: fc.constantFrom('a', 'b'), headers: fc.constantFrom({}, { a: '\\' }) }),
  fc.constantFrom({ 'body ': 'x' }, { headers: { body: 'x' } }, { '\\body': 'x' }),
);
const item = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(fields, text).map(([said, body]) => ({ ...said, body })) },
  { weight: 3, arbitrary: fc.tuple(text, fields).map(([body, said]) => ({ body, ...said })) },
  fc.constantFrom(null, 1, [], {}, { body: null }, { body: 1 }, { body: { body: 'x' } }),
);
const batch = fc
  .tuple(style, fc.array(item, { maxLength: 6 }), fc.integer({ min: 1, max: 4 }))
  .map(([how, items, times]) => {
    const repeated = items.flatMap((each) => Array(times).fill(each));
    return Buffer.from(written(how, [...repeated, ...repeated.slice(0, 1), { pad }]));
  });

const bytesOf = (items: unknown) => Buffer.from(JSON.stringify(items));

describe('a batch with repeated items', () => {
  it('has the same items as when all of it is parsed', () => {
    fc.assert(
      fc.property(batch, (body) => {
        expect(parsed(body)).toEqual(parsedPlainly(body));
      }),
      { numRuns: 500 },
    );
  });

  it('is refused for the same reason as when all of it is parsed', () => {
    const damage = fc.record({
      at: fc.nat(),
      byte: fc.oneof(fc.constantFrom(...Buffer.from('"\\{}[],: \n\t')), fc.nat(255)),
      removed: fc.integer({ min: 0, max: 2 }),
    });
    fc.assert(
      fc.property(batch, damage, (body, { at, byte, removed }) => {
        // The padding is one string that fills most of the batch.
        const place = at % Math.max(1, body.indexOf(pad));
        const damaged = Buffer.concat([
          body.subarray(0, place),
          Buffer.of(byte),
          body.subarray(place + removed),
        ]);
        expect(parsed(damaged)).toEqual(parsedPlainly(damaged));
      }),
      { numRuns: 500 },
    );
  });

  it('leaves repeated items unparsed', () => {
    const said = { destination: 'https://example.com', headers: { 'svc-delay': '1h' } };
    const bodies = [pad, 'one', '{"two":[2]}', '', 'Grüße 🎈'];
    const items = parseBatch(bytesOf([...bodies.map((body) => ({ ...said, body })), said]));
    if (!items.ok) throw new Error(items.message);
    expect(items.value.map((each) => each instanceof RepeatedItem)).toEqual([
      false,
      ...bodies.slice(1).map(() => true),
      false,
    ]);
    expect(items.value.slice(0, -1).map((each) => bodyOf(each))).toEqual(
      bodies.map((body) => ok(Buffer.from(body))),
    );
  });

  it.each([
    ['a name that is written in another way', '{"body":"a","b\\u006fdy":"c"}'],
    ['two bodies', '{"body":"a","body":"c"}'],
    ['a body that is no text', '{"body":1,"a":"c"}'],
  ])('is parsed if its items have %s', (_what, each) => {
    const body = Buffer.from(`[${each},${each},${JSON.stringify({ pad })}]`);
    const items = parseBatch(body);
    expect(items.ok && items.value.some((one) => one instanceof RepeatedItem)).toBe(false);
    expect(items).toEqual(parsedPlainly(body));
  });

  it('may be nested as deeply as any other', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const batchOf = (depth: number) => {
      const each = `{"other":${nested(depth)},"body":"${pad}"}`;
      return Buffer.from(`[${each},${each}]`);
    };
    expect(parsed(batchOf(62)).ok).toBe(true);
    expect(parsed(batchOf(63))).toMatchObject({
      message: 'the body is nested deeper than 64 levels',
    });
  });
});
