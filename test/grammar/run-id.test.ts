import { parseRunId } from '../../src/grammar/run-id.js';

describe('the id of a run', () => {
  it.each(['wfr_1', 'a', 'order 1/2', 'a,b@c', 'x'.repeat(512)])('may be %j', (id) => {
    expect(parseRunId(id)).toEqual({ ok: true, value: id });
  });

  it.each(['', 'x'.repeat(513), 'a\nb', 'a\u0000b', 'Ā'])('is not %j', (id) => {
    const reason = 'must have 1 to 512 characters that a header can carry';
    expect(parseRunId(id)).toMatchObject({ ok: false, message: reason });
  });

  it.each(['.', '..'])('is not %j, and may be more of it', (id) => {
    const reason = 'must not be . or .., which no path can name';
    expect(parseRunId(id)).toMatchObject({ ok: false, message: reason });
    expect(parseRunId(`${id}.a`)).toMatchObject({ ok: true });
  });
});
