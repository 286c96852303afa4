import fc from 'fast-check';
import { sentOn, traceHeaders, withoutTrace } from '../../src/grammar/trace-context.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = `00-${traceId}-00f067aa0ba902b7-01`;
const span = 'aaaaaaaaaaaaaaaa';

describe('the trace of a request', () => {
  it('is its traceparent, with what its tracestate says', () => {
    expect(traceHeaders(['X', 'y', 'TraceParent', parent])).toEqual(['traceparent', parent]);
    const pairs = ['tracestate', 'a=1', 'traceparent', ` ${parent} `, 'Tracestate', 'b=2 , ,c=3'];
    expect(traceHeaders(pairs)).toEqual(['traceparent', parent, 'tracestate', 'a=1,b=2,c=3']);
    const later = `cc-${traceId}-00f067aa0ba902b7-01-more`;
    expect(traceHeaders(['traceparent', later])).toEqual(['traceparent', later]);
  });

  it.each([
    [['traceparent', `ff-${traceId}-00f067aa0ba902b7-01`]],
    [['traceparent', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`]],
    [['traceparent', `00-${traceId}-${'0'.repeat(16)}-01`]],
    [['traceparent', `${parent}-more`]],
    [['traceparent', parent.toUpperCase()]],
    [['traceparent', parent, 'traceparent', parent]],
    [['traceparent', '']],
    [['tracestate', 'a=1']],
    [[]],
  ])('is missing from %j', (pairs) => {
    expect(traceHeaders(pairs)).toEqual([]);
  });

  it('has a state with a limited number of entries and characters', () => {
    const stateOf = (state: string) =>
      traceHeaders(['traceparent', parent, 'tracestate', state])[3];
    const many = Array.from({ length: 40 }, (_, index) => `k${index}=v`);
    expect(stateOf(many.join(','))).toBe(many.slice(0, 32).join(','));
    const long = ['a', 'b', 'c'].map((key) => `${key}=${'x'.repeat(250)}`);
    expect(stateOf(long.join(','))).toBe(long.slice(0, 2).join(','));
    expect(stateOf('a=\u00e9')).toBeUndefined();
  });

  it('is read without throwing, and reads as the same again', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('traceparent', 'tracestate', parent));
    fc.assert(
      fc.property(fc.array(text), (pairs) => {
        const trace = traceHeaders(pairs);
        expect(traceHeaders(trace)).toEqual(trace);
        expect(traceHeaders(withoutTrace(pairs))).toEqual([]);
      }),
    );
  });
});

describe('a span', () => {
  it('sends the trace on with its own id', () => {
    expect(sentOn(parent, span)).toBe(`00-${traceId}-${span}-01`);
    expect(sentOn(`01-${traceId}-00f067aa0ba902b7-ff-x`, span)).toBe(`00-${traceId}-${span}-03`);
  });

  it('leaves a text without a trace as it is', () => {
    for (const text of ['mine', '']) expect(sentOn(text, span)).toBe(text);
  });
});
