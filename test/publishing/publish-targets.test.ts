import { AddressGuard } from '../../src/delivery/address-guard.js';
import { PublishTargets } from '../../src/publishing/publish-targets.js';

const guard = new AddressGuard({ networks: [], hosts: [] });
const targets = new PublishTargets(guard, (value) => value === 'ours');

describe('the URL of a publish', () => {
  it.each([
    ['https://example.com/a//b?x=1', 'https://example.com/a//b?x=1', []],
    [
      'https://example.com/?svc-delay=1h&x=1&token=ours',
      'https://example.com/?x=1',
      ['svc-delay', '1h'],
    ],
    ['https://example.com/?token=theirs', 'https://example.com/?token=theirs', []],
  ])('/v2/publish/%s is read alike the first and the second time', (tail, url, options) => {
    const read = () => targets.read(`/v2/publish/${tail}`);
    expect(read()).toEqual({ url, options });
    expect(read()).toEqual({ url, options });
  });

  it.each([
    ['', 400],
    ['group', 404],
    ['http://127.0.0.1/', 400],
    ['https://example.com/?svc-delay=%ff', 400],
  ])('/v2/publish/%s is refused with %i, every time', (tail, status) => {
    const read = () => targets.read(`/v2/publish/${tail}`);
    expect(read()).toMatchObject({ status });
    expect(read()).toMatchObject({ status });
  });
});
