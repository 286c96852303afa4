import type { LookupAddress } from 'node:dns';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../../../src/engine/clock.js';
import { AddressGuard } from '../../../src/messaging/outbound/address-guard.js';
import { NameResolver } from '../../../src/messaging/outbound/name-resolver.js';
import { DestinationRefused } from '../../../src/messaging/outbound/transport-error.js';
import { ManualClock } from '../../support/manual-clock.js';

const guard = new AddressGuard({ networks: [], hosts: [] });
const good: LookupAddress = { address: '93.184.216.34', family: 4 };
const bad: LookupAddress = { address: '127.0.0.1', family: 4 };

describe('the resolver of names', () => {
  it('returns every approved address', async () => {
    const more: LookupAddress = { address: '2606:4700::1111', family: 6 };
    const resolver = new NameResolver(guard, systemClock, async () => [good, more]);
    expect(await resolver.approved('name.example')).toEqual([good, more]);
  });

  it('keeps an answer, and resolves a refused name again only later', async () => {
    let lookups = 0;
    const resolver = new NameResolver(guard, systemClock, async () => {
      lookups += 1;
      return [bad];
    });
    for (let round = 0; round < 3; round += 1) {
      await expect(resolver.approved('bad.example')).rejects.toThrow(DestinationRefused);
    }
    expect(lookups).toBe(1);
  });

  it('does not keep a failure', async () => {
    const answers = [Promise.reject(new Error('SERVFAIL')), Promise.resolve([good])];
    const resolver = new NameResolver(guard, systemClock, () => answers.shift()!);
    await expect(resolver.approved('name.example')).rejects.toThrow('SERVFAIL');
    expect(await resolver.approved('name.example')).toEqual([good]);
  });

  it('refuses a name for one forbidden address among good ones', async () => {
    const resolver = new NameResolver(guard, systemClock, async () => [good, bad, good]);
    await expect(resolver.approved('rebinding.example')).rejects.toThrow(/127\.0\.0\.1/);
  });

  it('has one look-up per name in progress, however many gave up waiting for it', async () => {
    const clock = new ManualClock();
    let lookups = 0;
    let answer: (addresses: LookupAddress[]) => void = () => undefined;
    const resolver = new NameResolver(guard, clock, () => {
      lookups += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    for (let round = 0; round < 3; round += 1) {
      const waiting = resolver.approved('silent.example');
      clock.advance(3000);
      await expect(waiting).rejects.toThrow('the destination does not resolve within 3000 ms');
    }
    expect(lookups).toBe(1);
    const patient = resolver.approved('silent.example');
    answer([good]);
    expect(await patient).toEqual([good]);
    expect(clock.armed).toBe(0);
  });

  it('leaves a look-up when the last of those who waited gives up', async () => {
    const clock = new ManualClock();
    const signals: AbortSignal[] = [];
    const resolver = new NameResolver(guard, clock, (_, { signal }) => {
      signals.push(signal);
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('left')));
      });
    });
    const first = resolver.approved('silent.example');
    clock.advance(1000);
    const second = resolver.approved('silent.example').catch(() =>
      // An attempt that follows at once has a look-up of its own.
      resolver.approved('silent.example'),
    );
    clock.advance(2000);
    await expect(first).rejects.toThrow('does not resolve within 3000 ms');
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    clock.advance(1000);
    while (signals.length === 1) await setImmediate();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    clock.advance(3000);
    await expect(second).rejects.toThrow('does not resolve within 3000 ms');
  });

  it('says which names had addresses in the last minutes', async () => {
    const clock = new ManualClock();
    const known: boolean[] = [];
    const resolver = new NameResolver(guard, clock, async (_, { isKnown }) => {
      known.push(isKnown);
      return [good];
    });
    for (const pause of [10_000, 600_001, 0]) {
      await resolver.approved('name.example');
      clock.advance(pause);
    }
    expect(known).toEqual([false, true, false]);
  });

  it('uses the last answer for ten minutes while no name server answers', async () => {
    const clock = new ManualClock();
    const silence = new Promise<never>(() => undefined);
    const again = Object.assign(new Error('not now'), { code: 'EAI_AGAIN' });
    const answers = [Promise.resolve([good]), Promise.reject(again), silence];
    const resolver = new NameResolver(guard, clock, () => answers.shift()!);
    expect(await resolver.approved('name.example')).toEqual([good]);
    clock.advance(10_000);
    expect(await resolver.approved('name.example')).toEqual([good]);
    const waiting = resolver.approved('name.example');
    clock.advance(1000);
    expect(await waiting).toEqual([good]);
    clock.advance(590_000);
    const late = resolver.approved('name.example');
    clock.advance(3000);
    await expect(late).rejects.toThrow('the destination does not resolve within 3000 ms');
    expect(clock.armed).toBe(0);
  });

  it('does not use the last answer of a name that is gone, or that has changed', async () => {
    const clock = new ManualClock();
    const gone = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    const other: LookupAddress = { address: '93.184.216.35', family: 4 };
    const again = Object.assign(new Error('not now'), { code: 'EAI_AGAIN' });
    const answers = [[good], gone, again, [other]];
    const resolver = new NameResolver(guard, clock, async () => {
      const answer = answers.shift() ?? [];
      if (answer instanceof Error) throw answer;
      return answer;
    });
    expect(await resolver.approved('name.example')).toEqual([good]);
    clock.advance(10_000);
    await expect(resolver.approved('name.example')).rejects.toThrow('no such name');
    await expect(resolver.approved('name.example')).rejects.toThrow('not now');
    expect(await resolver.approved('name.example')).toEqual([other]);
  });

  it('asks the operating system by default', async () => {
    const open = new AddressGuard({ networks: ['127.0.0.0/8', '::1/128'], hosts: [] });
    const addresses = await new NameResolver(open, systemClock).approved('localhost');
    expect(addresses.map(({ address }) => address)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]),
    );
  });
});
