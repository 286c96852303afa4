import type { LookupAddress } from 'node:dns';
import { setImmediate } from 'node:timers/promises';
import { LookUps, type LookUpTerms } from '../../../src/messaging/outbound/look-ups.js';

const address: LookupAddress = { address: '93.184.216.34', family: 4 };

/** Look-ups that end when the test says so. */
class OpenNames {
  readonly started: string[] = [];
  private readonly answers = new Map<string, (addresses: LookupAddress[]) => void>();
  readonly lookUps = new LookUps((hostname) => {
    this.started.push(hostname);
    return new Promise((resolve) => this.answers.set(hostname, resolve));
  });

  resolve(hostname: string, terms: Partial<LookUpTerms> = {}): Promise<readonly LookupAddress[]> {
    const { isKnown = false, signal = new AbortController().signal } = terms;
    return this.lookUps.resolve(hostname, { isKnown, signal });
  }

  answer(hostname: string): void {
    this.answers.get(hostname)?.([address]);
  }
}

describe('the look-ups of names', () => {
  it('go on for other names while all under one parent are silent', async () => {
    const names = new OpenNames();
    for (let name = 0; name < 100; name += 1) void names.resolve(`${name}.silent.example`);
    expect(names.started).toEqual([0, 1, 2, 3].map((name) => `${name}.silent.example`));
    const waiting = names.resolve('good.test');
    names.answer('good.test');
    expect(await waiting).toEqual([address]);
    expect(names.started).toHaveLength(5);
  });

  it('leave room for names that are known, and for names that are not', () => {
    for (const isKnown of [false, true]) {
      const names = new OpenNames();
      for (let name = 0; name < 9; name += 1) void names.resolve(`${name}`, { isKnown });
      expect(names.started).toHaveLength(6);
      for (let name = 9; name < 18; name += 1) void names.resolve(`${name}`, { isKnown: !isKnown });
      expect(names.started.slice(6)).toEqual(['9', '10']);
    }
  });

  it('start first for the parent with the fewest, then in the order of arrival', async () => {
    const names = new OpenNames();
    for (let name = 0; name < 5; name += 1) void names.resolve(`${name}.one.test`);
    for (let name = 0; name < 4; name += 1) void names.resolve(`${name}.two.example`);
    const full = ['0.one.test', '1.one.test', '2.one.test', '3.one.test'];
    expect(names.started).toEqual([...full, '0.two.example', '1.two.example']);
    void names.resolve('first.org');
    void names.resolve('second.org');
    const order: string[] = [];
    for (const hostname of ['0.one.test', '1.one.test', '2.one.test', '3.one.test']) {
      const before = names.started.length;
      names.answer(hostname);
      while (names.started.length === before) await setImmediate();
      order.push(...names.started.slice(before));
    }
    expect(order).toEqual(['first.org', 'second.org', '4.one.test', '2.two.example']);
  });

  it('do not begin once those who waited have given up', async () => {
    const names = new OpenNames();
    for (let name = 0; name < 6; name += 1) void names.resolve(`${name}`);
    const gaveUp = new AbortController();
    const waiting = names.resolve('late', { signal: gaveUp.signal });
    gaveUp.abort();
    await expect(waiting).rejects.toBe(gaveUp.signal.reason);
    const next = names.resolve('next');
    names.answer('0');
    while (names.started.length === 6) await setImmediate();
    names.answer('next');
    expect(await next).toEqual([address]);
    expect(names.started).not.toContain('late');
  });

  it('continue after a failure', async () => {
    const failing = new LookUps(async () => {
      throw new Error('SERVFAIL');
    });
    const all = Array.from({ length: 20 }, (_, name) => {
      const { signal } = new AbortController();
      return failing.resolve(`${name}.example`, { isKnown: false, signal });
    });
    for (const answer of all) await expect(answer).rejects.toThrow('SERVFAIL');
  });
});
