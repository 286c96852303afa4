import { dialects } from '../../../src/http/dialect.js';
import {
  failureHeaders,
  headerOf,
  ownHeaders,
  parseNewRunId,
  parseRunId,
  relabeled,
  withLabel,
} from '../../../src/workflows/requests/run-headers.js';

describe("the headers of a run's starter", () => {
  it('are kept unchanged, except those that the server sets itself, in any dialect', () => {
    const kept = ['X-Tenant', 'acme', 'upstash-workflow-invoke-count', '2', 'svc-label', 'blue'];
    const relayed = [
      'Svc-Workflow-Sdk-Version',
      '1',
      'upstash-workflow-sdk-version',
      '1',
      'upstash-message-id',
      'msg_1',
      'Upstash-Retried',
      '3',
      'svc-signature',
      'x',
      'svc-caller-ip',
      '::1',
      'svc-workflow-runid',
      'wfr_1',
      'svc-workflow-url',
      'u',
      'svc-workflow-init',
      'true',
      'svc-workflow-createdat',
      '1',
    ];
    expect(ownHeaders([...relayed, ...kept])).toEqual(kept);
  });

  it('do not ask for another start in the report of a failure', () => {
    const asking = ['upstash-workflow-unknown-sdk', 'true'];
    expect(ownHeaders([...asking, 'X-A', 'b'])).toEqual([...asking, 'X-A', 'b']);
    expect(failureHeaders([...asking, 'X-A', 'b'])).toEqual(['X-A', 'b']);
  });

  it('show the labels of the run, unless they do so already', () => {
    expect(withLabel(['X-A', 'b'], dialects.upstash, ['blue', 'green'])).toEqual([
      'X-A',
      'b',
      'Upstash-Label',
      'blue,green',
    ]);
    expect(withLabel(['svc-label', 'red'], dialects.upstash, ['blue'])).toEqual([
      'svc-label',
      'red',
    ]);
    expect(withLabel([], dialects.svc, [])).toEqual([]);
  });

  it('show new labels in place of the old ones, in the dialect of the run', () => {
    const headers = ['svc-label', 'red', 'X-A', 'b', 'Upstash-Label', 'pink'];
    const shown = ['X-A', 'b', 'Svc-Label', 'blue,green'];
    expect(relabeled(headers, dialects.svc, ['blue', 'green'])).toEqual(shown);
    expect(relabeled(['X-A', 'b'], dialects.svc, ['blue', 'green'])).toEqual(shown);
  });

  it('are found in any case and dialect', () => {
    const headers = ['X-Label', 'no', 'UPSTASH-Label', 'blue', 'svc-label', 'red'];
    expect(headerOf(headers, 'label')).toBe('blue');
    expect(headerOf(headers, 'retried')).toBeNull();
  });
});

describe('the id of a run', () => {
  it.each(['wfr_1', 'a', 'order 1/2', 'a,b@c', '...', 'a/.b/c.', '/a//b/', 'x'.repeat(512)])(
    'may be %j',
    (id) => {
      expect(parseNewRunId(id)).toEqual({ ok: true, value: id });
      expect(parseRunId(id)).toEqual({ ok: true, value: id });
    },
  );

  it.each(['', 'x'.repeat(513), 'a\nb', 'a\u0000b', 'Ā'])('is not %j', (id) => {
    const reason = 'must have 1 to 512 characters that a header can carry';
    expect(parseNewRunId(id)).toMatchObject({ ok: false, message: reason });
    expect(parseRunId(id)).toMatchObject({ ok: false, message: reason });
  });

  it.each([
    ...['.', '..', 'a/..', './a', 'a/../b'],
    ...['a?b', 'a#b', 'a%2Fb', '50%', 'a\\b', 'a\tb'],
  ])('can no longer be %j, which clients cannot put into a path', (id) => {
    const reason =
      'must have no ?, #, %, \\ or tab, nor . or .. between slashes: ' +
      'clients write it into paths as it is';
    expect(parseNewRunId(id)).toMatchObject({ ok: false, message: reason });
    expect(parseRunId(id)).toEqual({ ok: true, value: id });
  });

  it.each(['wfr_1', 'a b', 'a/b/', '/a//b', 'ä', 'a;b&c=d', '"<|>^`{}', 'a,b@c:d+e~f'])(
    'may be %j, which stays the same in the path of a URL',
    (id) => {
      expect(parseNewRunId(id).ok).toBe(true);
      const { pathname, search } = new URL(`http://x/${id}?cancel=false`);
      expect([decodeURIComponent(pathname), search]).toEqual([`/${id}`, '?cancel=false']);
    },
  );
});
